package load

import (
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/content"
	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// DefaultTimeout is what Config.Timeout means when it is 0.
const DefaultTimeout = 30 * time.Second

// openBytes bounds the payload in flight on one connection when InFlight is open.
// Ops beyond it wait in the connection's queue.
const openBytes = 64 << 20

// A Config says what to run.
type Config struct {
	Schedule    schedule.Spec  // when ops are due, warm-up included
	Part        schedule.Part  // the part of the connections that this process makes, such as machine 2 of 3; zero: all
	Warmup      time.Duration  // the first part of the schedule, kept apart
	Sections    Sections       // of the window, each with its own account; nil: none
	Size        int            // bytes of a message, at least requester.StampSize; of several sizes the largest
	Sizes       schedule.Sizes // drawn with the seed of the schedule; "": all messages have Size
	Connections int            // of the whole schedule; 0 means 1
	InFlight    int            // ops in flight on one connection; 0: open, 64 MiB of payload
	Timeout     time.Duration  // how long to wait for replies after the last due; 0: DefaultTimeout
	Senders     int            // threads that send; 0 means 1
	NewWaiter   NewWaiter      // how to wait for due; nil: KernelWaiter without a spin
	Echo        *Echo          // who sends the messages back; nil: the system under test itself
	// Topology says who consumes the messages of this process; zero: each connection its own.
	Topology requester.Topology
	Keys     schedule.Keys // of messages, drawn with the seed of the schedule; zero: they have none
	// Payload is what messages contain; the zero value is random bytes behind the stamp.
	Payload payload.Contents
}

// An Echo is another process that sends the messages back: see requester.Echoer. It stamps
// when it received each, and a message without that stamp is corrupt.
type Echo struct {
	// Clock returns what the clock by which the echo stamps shows at a moment of this process.
	// It is called once, when the schedule begins. Nil: that is not known, so that a message's
	// way is not split in two.
	Clock func(at time.Time) int64
	// Wait is how long it may take until the echo is there: until then the probe is sent again and
	// again. 0: it is there already.
	Wait time.Duration
}

func (c Config) withDefaults() Config {
	c.Connections = max(c.Connections, 1)
	if c.Payload.Beside {
		c.Size += requester.StampSize
	}
	c.Senders = min(max(c.Senders, 1), max(len(c.Parts()), 1))
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.NewWaiter == nil {
		c.NewWaiter = KernelWaiter(0)
	}
	return c
}

// content says what messages are made of.
func (c Config) content() content.Config {
	made := content.Config{Size: c.Size, Sizes: c.Sizes, Seed: c.Schedule.Seed, Contents: c.Payload, Connections: c.Connections}
	if c.Echo != nil {
		made.Tail = requester.EchoSize
	}
	return made
}

// Parts returns what each connection that this process makes carries of the schedule.
func (c Config) Parts() []schedule.Part { return c.Part.Connections(max(c.Connections, 1)) }

// Validate returns every mistake in the config at once.
func (c Config) Validate() error {
	errs := []error{c.Schedule.Validate(), requester.CheckSize(c.Size), c.Sizes.Validate()}
	if classes := c.Sizes.Classes(); classes != nil {
		errs = append(errs, requester.CheckSize(classes[0].Bytes))
		if largest := classes[len(classes)-1].Bytes; largest != c.Size {
			errs = append(errs, fmt.Errorf("size %d B is not the largest of %s", c.Size, c.Sizes))
		}
	}
	if c.Echo != nil && c.Size < requester.StampSize+requester.EchoSize {
		errs = append(errs, fmt.Errorf("size %d B is below the %d B that stamp and echo need", c.Size, requester.StampSize+requester.EchoSize))
	}
	if c.Warmup < 0 || c.Warmup >= c.Schedule.Duration {
		errs = append(errs, fmt.Errorf("warm-up %v leaves nothing of a schedule of %v", c.Warmup, c.Schedule.Duration))
	}
	if c.Connections < 0 || c.InFlight < 0 || c.Senders < 0 || c.Timeout < 0 {
		errs = append(errs, errors.New("connections, in-flight, senders and timeout are not negative"))
	}
	if !c.Topology.Own() {
		errs = append(errs, c.Topology.Validate(len(c.Parts())))
		if c.Echo != nil {
			errs = append(errs, fmt.Errorf("%v: groups of consumers and an echo cannot be combined", c.Topology))
		}
	}
	if c.Connections >= 0 && len(c.Parts()) == 0 {
		errs = append(errs, fmt.Errorf("part %d of %d has none of %d connections", c.Part.Index+1, c.Part.Of, max(c.Connections, 1)))
	}
	return errors.Join(errs...)
}

// limit returns how many ops may be in flight on a connection that can carry own; 0: any
// number. keepsSlots tells that the connection can carry no more: then an op without a
// reply keeps its slot.
func (c Config) limit(own int) (limit int, keepsSlots bool) {
	limit = c.InFlight
	if limit == 0 {
		limit = max(1, openBytes/c.Sizes.Mean(c.Size))
	}
	if own == 0 || own > limit {
		return limit, false
	}
	return own, true
}

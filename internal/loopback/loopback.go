// Package loopback is a system under test in memory that does exactly what its
// configuration says: it answers after a delay, freezes at given times, and drops,
// duplicates or corrupts a given share of its replies. Use it in tests and examples,
// and to measure what the engine itself costs. It is not a broker.
package loopback

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A Config says how the system behaves. The zero value echoes at once, in the
// call to Request.
type Config struct {
	Delay     time.Duration // from request to reply
	Slow      []Phase       // when another delay holds
	Freezes   []Freeze      // when it does not answer
	Drop      float64       // the share of the replies that never come, 0 to 1
	Duplicate float64       // the share of the replies that come twice, 0 to 1
	Corrupt   float64       // the share of the replies with one bit flipped, 0 to 1

	Groups []Config // with groups of consumers: how the members of each behave; those that are not in the list behave as this Config
	Death  *Death   // of a member; nil: all live
	Keeps  bool     // producers get acknowledgements at once, and groups keep messages while they have no member

	Pace time.Duration // between two replies of a connection, or of a member of a group; 0: none

	Unacked int           // the last messages of a member that come again after it was killed
	Session time.Duration // after how long the others get what a member that was killed did not acknowledge, and what came for it since
}

// A Freeze is a time without replies. Those that were due in it come at its end.
type Freeze struct {
	At  time.Duration // from the first request
	For time.Duration
}

// A Phase is a time in which requests are answered after another delay.
type Phase struct {
	At    time.Duration // from the first request
	For   time.Duration
	Delay time.Duration // in place of Config.Delay
}

// ReplyAt returns when the system answers a request that arrives at the offset at.
// Both are offsets from the first request of all. Requests do not wait for each
// other.
func (c Config) ReplyAt(at time.Duration) time.Duration {
	delay := c.Delay
	for _, p := range c.Slow {
		if at >= p.At && at < p.At+p.For {
			delay = p.Delay
		}
	}
	return freezes(c.Freezes).thaw(at + delay)
}

// Drops reports whether request n of a connection, counted from 0, gets no reply.
func (c Config) Drops(n int) bool { return falls(n, c.Drop) }

// Validate returns an error if a share is not between 0 and 1, or a time is
// negative.
func (c Config) Validate() error {
	for _, share := range []struct {
		name  string
		value float64
	}{{"drop", c.Drop}, {"duplicate", c.Duplicate}, {"corrupt", c.Corrupt}} {
		if !(share.value >= 0 && share.value <= 1) { // refuses NaN, too
			return fmt.Errorf("loopback: %s %v is not between 0 and 1", share.name, share.value)
		}
	}
	if c.Delay < 0 || c.Pace < 0 {
		return fmt.Errorf("loopback: delay %v or pace %v is negative", c.Delay, c.Pace)
	}
	for _, p := range c.Slow {
		if p.At < 0 || p.For < 0 || p.Delay < 0 {
			return fmt.Errorf("loopback: a delay of %v for %v at %v: none of them may be negative", p.Delay, p.For, p.At)
		}
	}
	for _, g := range c.Groups {
		if err := g.Validate(); err != nil {
			return err
		}
	}
	for _, f := range c.Freezes {
		if f.At < 0 || f.For < 0 {
			return fmt.Errorf("loopback: a freeze of %v at %v: neither may be negative", f.For, f.At)
		}
	}
	return nil
}

// settings returns the config for a Description.
func (c Config) settings() []requester.Setting {
	return []requester.Setting{
		{Name: "corrupt", Value: fmt.Sprint(c.Corrupt), Doc: "share of the replies with one bit flipped, 0 to 1"},
		{Name: "delay", Value: c.Delay.String(), Doc: "from request to reply"},
		{Name: "drop", Value: fmt.Sprint(c.Drop), Doc: "share of the replies that never come, 0 to 1"},
		{Name: "duplicate", Value: fmt.Sprint(c.Duplicate), Doc: "share of the replies that come twice, 0 to 1"},
		{Name: "freeze", Value: freezes(c.Freezes).String(), Doc: "when no reply comes, such as 1s@5s: for 1 s, 5 s after the first request; several with commas"},
	}
}

// New returns a factory whose connections share one clock, so that a freeze hits
// all of them at once.
func New(cfg Config) (*Factory, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Factory{cfg: cfg, start: sync.OnceValue(time.Now)}, nil
}

// A Factory makes loopback connections. It implements requester.Factory and
// requester.Describer.
type Factory struct {
	cfg     Config
	start   func() time.Time // of the first request of any connection, which calls it
	journal *Journal         // nil: nothing is noted
	hub     *hub             // nil without groups of consumers
}

// Keep makes the system note when each message comes and when its reply leaves.
// Call it before New.
func (f *Factory) Keep(j *Journal) { f.journal = j }

// Record returns what was noted until now; only after Keep.
func (f *Factory) Record() Record { return f.journal.Record(f.start(), 0) }

// New implements requester.Factory.
func (f *Factory) New(_ int, sink requester.Sink) (requester.Requester, error) {
	if f.hub != nil {
		return producer{f.hub, sink.Acked}, nil
	}
	return &conn{cfg: f.cfg, start: f.start, reply: sink.Reply, journal: f.journal}, nil
}

// Describe implements requester.Describer.
func (f *Factory) Describe(context.Context) (requester.Description, error) {
	return requester.Description{
		Product: "loopback (in memory, not a broker)", Version: runtime.Version(),
		Client: "brokerbench", Settings: f.cfg.settings(),
	}, nil
}

// ParseFreezes reads freezes written as for@at with commas between them:
// "1s@5s,200ms@8s". An empty text is none.
func ParseFreezes(text string) ([]Freeze, error) {
	if text == "" {
		return nil, nil
	}
	var list []Freeze
	for _, word := range strings.Split(text, ",") {
		length, at, ok := strings.Cut(word, "@")
		f := Freeze{}
		var err1, err2 error
		f.For, err1 = time.ParseDuration(length)
		f.At, err2 = time.ParseDuration(at)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("loopback: freeze %q: want for@at, as in 1s@5s", word)
		}
		list = append(list, f)
	}
	return list, nil
}

// freezes is written as ParseFreezes reads it.
type freezes []Freeze

func (list freezes) String() string {
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = fmt.Sprintf("%v@%v", f.For, f.At)
	}
	return strings.Join(words, ",")
}

// thaw returns when a reply comes that is due at the offset at. One that is due at
// the very moment at which a freeze begins is not held up.
func (list freezes) thaw(at time.Duration) time.Duration {
	for _, f := range list {
		if at > f.At && at < f.At+f.For {
			at = f.At + f.For
		}
	}
	return at
}

package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/setup"
	"github.com/brokerbench/brokerbench/requester"
)

// member is a consumer in a group.
type member struct {
	requester.Member
	closing

	run      *run
	index    int // over all groups
	lane     int // in the order of deliveries: its own, or with keys, which may move to another member, its group's
	consumer requester.Consumer
	received atomic.Int64 // ops of the window, each once for the group

	mu     sync.Mutex
	closed bool
	strays Strays // those that belong to no producer
	from   uint8  // the partition of the next message, as in Op; only the goroutine that calls Reply has it
}

// String returns the member for people.
func (m *member) String() string { return fmt.Sprintf("member %d of group %d", m.Number, m.Group) }

// bit returns the bit of the group.
func (m *member) bit() uint64 { return 1 << m.Group }

// makeMembers makes the consumers of all groups, and sets them up.
func (r *run) makeMembers(ctx context.Context, f requester.Factory) error {
	g, _ := requester.As[requester.Grouper](f)
	for i := range r.cfg.Topology.Groups * r.cfg.Topology.Members {
		m := &member{run: r, index: i, lane: i, Member: requester.Member{Group: i / r.cfg.Topology.Members, Number: i % r.cfg.Topology.Members}}
		if r.deal != nil {
			m.lane = m.Group
		}
		sink := requester.Replies(m.reply)
		sink.Event = m.log.Add
		sink.From = func(partition int) { m.from = partitionOf(partition) }
		made, err := g.NewConsumer(m.Member, sink)
		if err != nil {
			return fmt.Errorf("making %v: %w", m, err)
		}
		m.consumer = made
		r.members = append(r.members, m)
	}
	if err := setup.All(ctx, len(r.members), func(i int) requester.Consumer { return r.members[i].consumer }, r.wait); err != nil {
		return fmt.Errorf("consumers: %w", err)
	}
	return nil
}

// reply is Reply of this consumer's requester.Sink. It reads the clock first.
func (m *member) reply(payload []byte) {
	done := m.run.now()
	stamp, ok := requester.ReadStamp(payload)
	number := m.run.numbered(stamp.Conn)
	switch {
	case !ok:
		m.stray(&m.strays.Corrupt)
	case stamp.Run != m.run.id || number < 0:
		m.stray(&m.strays.Foreign)
	case stamp.Seq == requester.ProbeSeq:
		m.probed(stamp, m.run.body.Matches(payload, stamp))
	default:
		m.run.conns[number].deliver(m, stamp.Seq, done, m.run.body.Matches(payload, stamp))
	}
}

// stray counts a message that belongs to no producer.
func (m *member) stray(counter *int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		*counter++
	}
}

func (m *member) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
}

// probed notes that the group has a probe, and ends the probe if it was the last one.
func (m *member) probed(stamp requester.Stamp, intact bool) {
	switch r := m.run; {
	case stamp.Conn != r.probing.Load(): // of a topic that was probed before
	case !intact:
		r.probed(errors.New("the reply is not what was sent"))
	case r.reached.Or(m.bit())|m.bit() == 1<<r.cfg.Topology.Groups-1:
		r.probed(nil)
	}
}

// probeTopics sends a probe to each topic until every group has it.
func (r *run) probeTopics(ctx context.Context) error {
	for topic := range r.cfg.Topology.Topics {
		if err := r.probeTopic(ctx, r.conns[topic]); err != nil {
			return fmt.Errorf("topic %d: %w", topic, err)
		}
	}
	return nil
}

// probeTopic sends the probe of a producer until every group has it.
func (r *run) probeTopic(ctx context.Context, c *conn) error {
	r.reached.Store(0)
	r.probing.Store(c.id)
	select {
	case <-r.probe: // a repetition of the probe before
	default:
	}
	for begun := time.Now(); ; {
		returned, err := r.probeOnce(ctx, c, probeAgain)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil || time.Since(begun) >= probeTimeout || !r.wait(returned, probeAgain):
			return errors.Join(err, r.unreached())
		}
		r.wait(ctx.Done(), probeAgain/5) // it may have failed at once
	}
}

// unreached names the first group that no probe has reached; nil if there is none.
func (r *run) unreached() error {
	for g := range r.cfg.Topology.Groups {
		if r.reached.Load()>>g&1 == 0 {
			return fmt.Errorf("group %d has not received it", g)
		}
	}
	return nil
}

package brokertest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// fanned counts the deliveries of a run.
type fanned struct {
	mu          sync.Mutex
	first, last int
}

// Record implements [load.Recorder].
func (*fanned) Record(load.Op) {}

// RecordDelivery implements [load.DeliveryRecorder].
func (f *fanned) RecordDelivery(d load.Delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d.First {
		f.first++
	}
	if d.Last {
		f.last++
	}
}

// Groups sends over ten producers, and wants each group to get every message once, whole and in order, and
// nothing left on the broker. It returns what the members of each group received.
func Groups(t *testing.T, f requester.Factory, topology requester.Topology, size int) (members [][]int64) {
	t.Helper()
	const due = 1000
	cfg := load.Config{Schedule: schedule.Spec{Rate: 500, Duration: 2 * time.Second}, Size: size, Connections: 10, Topology: topology}
	var rec fanned
	o, err := load.Run(t.Context(), f, cfg, &rec, load.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	whole := load.Ledger{Due: due, Done: due}
	if o.Window != whole || o.Strays != (load.Strays{}) || len(o.Left) > 0 || len(o.Events) > 0 || len(o.Groups) != topology.Groups {
		t.Errorf("%v: ledger %+v, strays %+v, left %v, failures %v, events %v, %d groups", topology, o.Window, o.Strays, o.Left, o.Failures, o.Events, len(o.Groups))
	}
	for i, g := range o.Groups {
		if g.Ledger != whole || g.Duplicate > 0 || g.Disordered > 0 {
			t.Errorf("%v: group %d: %+v", topology, i, g)
		}
		members = append(members, g.Members)
	}
	if rec.first != due || rec.last != due {
		t.Errorf("%v: %d first deliveries, %d last ones", topology, rec.first, rec.last)
	}
	return members
}

// MemberEnds ends one of the two members of a group while it handles its first message, and wants the other
// one to get what the broker had delivered to it besides.
func MemberEnds(t *testing.T, f requester.Factory) {
	t.Helper()
	const messages = 100
	var mu sync.Mutex
	received, handling, ending := make(map[uint64]bool), make(chan struct{}), make(chan struct{})
	note := func(payload []byte) {
		stamp, _ := requester.ReadStamp(payload)
		mu.Lock()
		defer mu.Unlock()
		received[stamp.Seq] = true
	}
	var once sync.Once
	members := membersOf(t, f, requester.Topology{Topics: 1, Groups: 1, Members: 2}, func(m requester.Member, payload []byte) {
		note(payload)
		if m.Number == 1 {
			once.Do(func() { close(handling) })
			<-ending
		}
	})
	l := requestertest.Connect(t, f, 0)
	for seq := range uint64(messages) {
		l.Send(t, requestertest.Payload(0, seq, 256))
	}
	<-handling
	ended := make(chan error)
	go func() { ended <- members[1].Teardown(context.Background()) }()
	time.Sleep(100 * time.Millisecond) // so that Teardown has begun
	close(ending)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	requestertest.Until(t, "the other member has everything", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(received) == messages
	})
	endGroups(t, members[:1], []*requestertest.Link{l})
}

// GroupsComeBack cuts all connections through a relay, and wants each group to get later messages of each topic,
// and nothing to be left at the end.
func GroupsComeBack(t *testing.T, f requester.Factory, p *relay.Relay, topology requester.Topology) {
	t.Helper()
	var mu sync.Mutex
	type way struct {
		group int
		conn  uint32
	}
	received := make(map[way]bool)
	members := membersOf(t, f, topology, func(m requester.Member, payload []byte) {
		stamp, _ := requester.ReadStamp(payload)
		mu.Lock()
		defer mu.Unlock()
		received[way{m.Group, stamp.Conn}] = true
	})
	producers := producersOf(t, f, topology)
	p.Cut(false)
	seq := uint64(0)
	requestertest.Until(t, "each group gets messages of each topic again", func() bool {
		for i, l := range producers {
			_ = l.Request(t.Context(), requestertest.Payload(uint32(i), seq, 256)) // fails until it is connected again
		}
		seq++
		mu.Lock()
		defer mu.Unlock()
		return len(received) == topology.Groups*topology.Topics
	})
	for _, l := range producers {
		l.WantEvents(t, "disconnected", "reconnected")
	}
	endGroups(t, members, producers)
	if s, ok := requester.As[requester.Sweeper](f); ok && len(s.Left()) > 0 {
		t.Errorf("left: %v", s.Left())
	}
}

// GroupsAreFound wants a sweep to find exactly these things while producers and members use them, and nothing
// after that.
func GroupsAreFound(t *testing.T, f requester.Factory, topology requester.Topology, q requester.LeftoverQuery, want ...string) {
	t.Helper()
	members := membersOf(t, f, topology, func(requester.Member, []byte) {})
	producers := producersOf(t, f, topology)
	find := func(want ...string) {
		t.Helper()
		things, unseen, err := f.(requester.Sweeper).Find(t.Context(), q)
		var found []string
		for _, thing := range things {
			found = append(found, thing.Name)
		}
		slices.Sort(found)
		if err != nil || unseen != "" || !slices.Equal(found, want) {
			t.Errorf("found %v, %q, %v; want %v", found, unseen, err, want)
		}
	}
	find(want...)
	endGroups(t, members, producers)
	find()
}

func producersOf(t *testing.T, f requester.Factory, topology requester.Topology) []*requestertest.Link {
	t.Helper()
	producers := make([]*requestertest.Link, topology.Topics)
	for i := range producers {
		producers[i] = requestertest.Connect(t, f, i)
	}
	return producers
}

func endGroups(t *testing.T, members []requester.Consumer, producers []*requestertest.Link) {
	t.Helper()
	for _, l := range producers {
		l.End(t)
	}
	for _, m := range members {
		if err := m.Teardown(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// membersOf sets up the members of all groups.
func membersOf(t *testing.T, f requester.Factory, topology requester.Topology, reply func(m requester.Member, payload []byte)) (members []requester.Consumer) {
	t.Helper()
	g, err := requester.Arrange(f, topology)
	if err == nil {
		err = g.TakeTopology(topology) // as measure and the engine do: the second changes nothing
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range topology.Groups * topology.Members {
		m := requester.Member{Group: i / topology.Members, Number: i % topology.Members}
		member, err := g.NewConsumer(m, requester.Replies(func(payload []byte) { reply(m, payload) }))
		if err == nil {
			err = member.Setup(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, member)
	}
	return members
}

// WantNoGroups wants a topology to be refused before anything is measured.
func WantNoGroups(t *testing.T, f requester.Factory, topology requester.Topology, reason string) {
	t.Helper()
	_, err := requester.Arrange(f, topology)
	WantError(t, err, reason)
}

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

// Mortals lets the members of a group of three come and go while 200 messages a second are sent: the third
// joins, the second departs, and the first is killed. It returns how many messages did not come until so long
// after that, and how many came twice. No other may be missing.
func Mortals(t *testing.T, f requester.Factory, patience time.Duration) (missing, twice int) {
	t.Helper()
	m := newMortals(t, f, 3)
	defer m.endAll()
	first, second := m.join(0), m.join(1)
	m.produce()
	m.send(2 * time.Second)
	m.join(2)
	m.send(5 * time.Second)
	if err := second.Depart(m.ctx); err != nil {
		t.Error(err)
	}
	m.end(1)
	m.send(5 * time.Second)
	if missing := m.await(Patience); missing > 0 {
		t.Fatalf("%d of %d messages are missing before the kill; by member %v", missing, m.sent, m.byMember)
	}
	first.Kill()
	left := m.of(0)
	m.end(0)
	m.send(5 * time.Second)
	missing = m.await(patience)
	if m.of(0) != left || m.of(2) == 0 {
		t.Errorf("messages by member %v; the first had %d when it was killed", m.byMember, left)
	}
	twice = m.twice()
	t.Logf("%d messages, by member %v, %d missing, %d twice", m.sent, m.byMember, missing, twice)
	return missing, twice
}

// MortalAlone lets the only member of a group depart, come back, be killed, and come back, while messages are sent. kept
// says whether the group is to get what was sent meanwhile. It returns how many messages came twice.
func MortalAlone(t *testing.T, f requester.Factory, kept bool) (twice int) {
	t.Helper()
	m := newMortals(t, f, 1)
	defer m.endAll()
	c, patience := m.join(0), map[bool]time.Duration{true: Patience, false: 2 * time.Second}[kept]
	m.produce()
	for _, end := range []func(){
		func() {
			if err := c.Depart(m.ctx); err != nil {
				t.Error(err)
			}
		},
		func() { c.Kill() },
	} {
		m.send(time.Second)
		m.await(patience)
		before := m.of(0)
		end()
		m.end(0)
		m.send(time.Second)
		if away := m.of(0) - before; away > 0 {
			t.Errorf("a member that has ended received %d messages", away)
		}
		c = m.join(0)
		m.send(time.Second)
	}
	if missing := m.await(patience); kept && missing > 0 || !kept && missing == 0 {
		t.Errorf("%d of %d messages are missing", missing, m.sent)
	}
	twice = m.twice()
	t.Logf("%d messages, %d twice", m.sent, twice)
	return twice
}

// Orphans kills a member of a group of two while it handles a message of many that it has received and not acknowledged,
// before the other member joins. It returns how many messages did not come to the other until so long after that.
func Orphans(t *testing.T, f requester.Factory, patience time.Duration) (missing int) {
	t.Helper()
	m := newMortals(t, f, 2)
	defer m.endAll()
	handling, goOn := make(chan int), make(chan struct{})
	n := 0
	m.handle = func(number int) {
		if number == 0 {
			n++
			handling <- n
			<-goOn
		}
	}
	first := m.join(0)
	m.produce()
	m.send(200 * time.Millisecond)
	<-handling
	goOn <- struct{}{}
	<-handling // of those that came meanwhile
	killed := make(chan struct{})
	go func() { first.Kill(); close(killed) }()
	time.Sleep(200 * time.Millisecond) // so that Kill has begun
	close(goOn)
	<-killed
	m.end(0)
	m.join(1)
	missing = m.await(patience)
	t.Logf("%d messages, by member %v, %d missing, %d twice", m.sent, m.byMember, missing, m.twice())
	return missing
}

// mortals are members of a group, and the producer whose messages they get.
type mortals struct {
	t        *testing.T
	ctx      context.Context //nolint:containedctx // of one test
	grouper  requester.Grouper
	there    map[int]requester.Consumer // by number; the producer's is -1
	producer requester.Requester
	sent     uint64
	handle   func(number int) // of a member, is called with each message; nil: nothing is

	mu       sync.Mutex
	came     map[uint64]int // by sequence
	byMember [3]int
}

func newMortals(t *testing.T, f requester.Factory, members int) *mortals {
	t.Helper()
	g, err := requester.Arrange(f, requester.Topology{Topics: 1, Groups: 1, Members: members})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // NATS wants a limit
	t.Cleanup(cancel)
	return &mortals{t: t, ctx: ctx, grouper: g, there: make(map[int]requester.Consumer), came: make(map[uint64]int)}
}

// join sets up a member.
func (m *mortals) join(number int) requester.Mortal {
	m.t.Helper()
	c, err := m.grouper.NewConsumer(requester.Member{Number: number}, requester.Replies(func(payload []byte) {
		stamp, _ := requester.ReadStamp(payload)
		m.mu.Lock()
		m.came[stamp.Seq]++
		m.byMember[number]++
		m.mu.Unlock()
		if m.handle != nil {
			m.handle(number)
		}
	}))
	m.begin(number, c, err)
	return c.(requester.Mortal)
}

// produce sets up the producer.
func (m *mortals) produce() {
	m.t.Helper()
	c, err := m.grouper.New(0, requester.Replies(func([]byte) {}))
	m.producer = c
	m.begin(-1, c, err)
}

func (m *mortals) begin(number int, c requester.Consumer, err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
	m.there[number] = c
	if err := c.Setup(m.ctx); err != nil {
		m.t.Fatal(err)
	}
}

// end tears one down.
func (m *mortals) end(number int) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := m.there[number].Teardown(ctx); err != nil {
		m.t.Error(err)
	}
	delete(m.there, number)
}

func (m *mortals) endAll() {
	m.t.Helper()
	for number := range m.there {
		m.end(number)
	}
}

// send sends for some time.
func (m *mortals) send(d time.Duration) {
	m.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); m.sent++ {
		if err := m.producer.Request(m.ctx, requestertest.Payload(0, m.sent, 128)); err != nil {
			m.t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// await waits until all messages have come, at most so long, and returns how many have not.
func (m *mortals) await(patience time.Duration) (missing int) {
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		m.mu.Lock()
		missing = int(m.sent) - len(m.came)
		m.mu.Unlock()
		if missing == 0 || time.Since(begun) > patience {
			return missing
		}
	}
}

// twice returns how many messages came again.
func (m *mortals) twice() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, came := range m.came {
		n += max(came-1, 0)
	}
	return n
}

// of returns how many messages a member received.
func (m *mortals) of(number int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byMember[number]
}

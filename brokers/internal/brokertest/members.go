package brokertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Mortals lets the members of a group of three come and go while 200 messages a second are sent: the third
// joins, the second departs, and the first is killed. It returns how many messages did not come until so long
// after that, and how many came twice. No other may be missing.
func Mortals(t *testing.T, f requester.Factory, patience time.Duration) (missing, twice int) {
	t.Helper()
	m := newMortals(t, f, 3)
	defer m.endAll()
	first, second := m.join(0), m.join(1)
	m.produce()
	m.send(time.Second)
	m.join(2)
	m.sendTo(2, 5*time.Second) // a single active consumer leaves it without messages
	if err := second.Depart(m.ctx); err != nil {
		t.Error(err)
	}
	m.end(1)
	m.send(2 * time.Second)
	if missing := m.await(Patience); missing > 0 {
		t.Fatalf("%d of %d messages are missing before the kill; by member %v", missing, m.sent, m.byMember)
	}
	first.Kill()
	left := m.of(0)
	m.end(0)
	m.send(2 * time.Second)
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

// sendTo sends until a member has received messages, at most so long, and a second more.
func (m *mortals) sendTo(number int, most time.Duration) {
	m.t.Helper()
	for end := time.Now().Add(most); m.of(number) == 0 && time.Now().Before(end); {
		m.send(100 * time.Millisecond)
	}
	m.send(time.Second)
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

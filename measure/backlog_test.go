package measure

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// lagging returns a cell with a backlog of 10,000 for the first of two groups, live traffic of 100/s, and a system
// whose groups keep messages; the members of group 0 behave as given.
func lagging(t *testing.T, group0 loopback.Config) (plan.Cell, *loopback.Factory) {
	t.Helper()
	cell := cellOf(100, 20*time.Second)
	cell.Shape.Connections, cell.Shape.Topology, cell.Shape.Backlog = 4, plan.Topology{Topics: 1, Groups: 2, Members: 1}, plan.Backlog{Messages: 10_000}
	cell.Settings.Warmup, cell.Settings.Timeout = 5*time.Second, 20*time.Second
	group0.Delay = ms
	f, err := loopback.New(loopback.Config{Keeps: true, Groups: []loopback.Config{group0, {Delay: 2 * ms}}})
	if err != nil {
		t.Fatal(err)
	}
	return cell, f
}

// drained measures a cell in virtual time.
func drained(t *testing.T, cell plan.Cell, f requester.Factory, o Options) (c *results.Cell, err error) {
	t.Helper()
	o.NewWaiter, o.Folder = load.SleepWaiter, newFolder(t, newStore(t), "cell")
	synctest.Test(t, func(t *testing.T) { c, err = Cell(t.Context(), f, cell, o) })
	return c, err
}

// A member that takes a message each millisecond has read 10,500 messages after 10.5 s: the backlog and, behind it,
// those of the warm-up. While it does, 100 live messages come each second: the first has to wait for all of them.
func TestABacklogIsDrainedAtTheKnownRate(t *testing.T) {
	cell, f := lagging(t, loopback.Config{Pace: ms + time.Microsecond}) // no message is due as the drain ends
	var last Filling
	c, err := drained(t, cell, f, Options{Filling: func(now Filling) { last = now }})
	if err != nil {
		t.Fatal(err)
	}
	b := c.Backlog
	if b.Stored != 10_000 || b.DrainNS == nil || time.Duration(*b.DrainNS-1e10).Abs() > 15*ms || b.Left != 0 || int(b.PerS+5)/10 != 100 {
		t.Errorf("%+v, drained in %v", b, time.Duration(*b.DrainNS))
	}
	whole := results.BacklogGroup{Owed: 10_000, Delivered: 10_000, Behind: 10_000}
	if b.Groups[0] != whole || b.Groups[1] != (results.BacklogGroup{Number: 1, Owed: 10_000, Delivered: 10_000}) {
		t.Errorf("%+v", b.Groups)
	}
	// All were stored at one moment, 5 s and a bit before the return: the ages are even from 5 s to 15 s.
	wantAbout(t, "age p50", *b.Age.P50NS, 10*time.Second)
	wantAbout(t, "age max", b.Age.MaxNS, 15*time.Second)
	if len(b.Phases) != 3 || b.Phases[0].Due != 500 || b.Phases[1].Due+b.Phases[2].Due != 2000 || b.Phases[0].Lagging != nil {
		t.Fatalf("%+v", b.Phases)
	}
	wantAbout(t, "due during the drain", b.Phases[1].Due, 1000)
	// A live message of the beginning waits for 10,500, one of the end of the drain for 1500.
	wantAbout(t, "lagging p99", *b.Phases[1].Lagging.P99NS, 10500*ms)
	if short := time.Duration(*b.Phases[2].Lagging.P50NS); short > time.Second {
		t.Errorf("after the drain the lagging group has %v", short)
	}
	for _, p := range b.Phases {
		wantAbout(t, "others of "+p.Phase, p.Others.MaxNS, 2*ms)
		if p.Ack.Count != p.Due || p.Ack.Missing != 0 || p.Others.Count != p.Due || p.Ack.MaxNS > int64(ms) {
			t.Errorf("%+v, others %+v", p, p.Others)
		}
	}
	if c.Ledger.Due != 2000 || c.Ledger.Done != 2000 || c.Strays != (results.Strays{}) || c.Groups[0].Ledger.Done != 2000 {
		t.Errorf("%+v %+v %+v", c.Ledger, c.Strays, c.Groups[0])
	}
	if last.Messages != 0 {
		t.Errorf("a store that takes no time reports %+v", last)
	}
}

func wantAbout(t *testing.T, what string, got int64, want time.Duration) {
	t.Helper()
	if d := time.Duration(got); d < want*97/100 || d > want*103/100 {
		t.Errorf("%s: %v, want %v", what, d, want)
	}
}

func TestALostMessageOfABacklogIsMissing(t *testing.T) {
	cell, f := lagging(t, loopback.Config{Drop: 0.001, Duplicate: 0.01, Pace: ms / 10})
	c, err := drained(t, cell, f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := c.Backlog.Groups[0]
	if g.Owed != 10_000 || g.Missing != 10 || g.Delivered != 9990 || g.Duplicate != 90 {
		t.Errorf("%+v", g)
	}
	if c.Backlog.DrainNS != nil || c.Backlog.Left != g.Missing || c.Backlog.Age.Missing != g.Missing {
		t.Errorf("%+v", c.Backlog)
	}
	if c.Backlog.Groups[1].Missing != 0 {
		t.Errorf("%+v", c.Backlog.Groups[1])
	}
	// 9990 and 90 twice come within about a second, and the drain ends there although 10 never come.
	b := c.Backlog
	wantAbout(t, "until the last", *b.LastNS, time.Second)
	if b.PerS < 9700 || b.PerS > 10_300 || len(b.Phases) != 3 || b.Phases[1].Due < 97 || b.Phases[1].Due > 103 || b.Phases[1].Due+b.Phases[2].Due != 2000 {
		t.Errorf("%+v", b)
	}
	for _, p := range b.Phases {
		if p.Ack.Count != p.Due || p.Others.Count != p.Due {
			t.Errorf("%+v, others %+v", p, p.Others)
		}
	}
}

// A member that takes a message in 10 s would need 27 h. The cell ends after the window, the time for late live
// messages, and as much for the backlog.
func TestASlowMemberDoesNotKeepTheCell(t *testing.T) {
	cell, f := lagging(t, loopback.Config{Pace: 10 * time.Second})
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c, err := Cell(t.Context(), f, cell, Options{NewWaiter: load.SleepWaiter, Folder: newFolder(t, newStore(t), "cell")})
		if err != nil {
			t.Fatal(err)
		}
		b := c.Backlog
		if took := time.Since(began); took < 65*time.Second || took > 70*time.Second || b.Groups[0].Delivered < 5 || b.Left < 9997 {
			t.Errorf("after %v %+v", took, b)
		}
	})
}

// Messages of the backlog are as long as live ones, also where the stamp is beside the content.
func TestABacklogHasMessagesOfTheSizeOfLiveOnes(t *testing.T) {
	cell, f := lagging(t, loopback.Config{})
	cell.Shape.Payload = "compressible(0.5)"
	sizes := &sizing{Factory: f, seen: make(map[int]int)}
	if _, err := drained(t, cell, sizes, Options{}); err != nil {
		t.Fatal(err)
	}
	if n := sizes.seen[cell.Shape.Size+requester.StampSize]; len(sizes.seen) != 1 || n < 10_000+2500 {
		t.Errorf("%v", sizes.seen)
	}
}

// sizing counts messages by their size.
type sizing struct {
	*loopback.Factory
	mu   sync.Mutex
	seen map[int]int
}

func (s *sizing) New(conn int, sink requester.Sink) (requester.Requester, error) {
	made, err := s.Factory.New(conn, sink)
	return sized{made, s}, err
}

type sized struct {
	requester.Requester
	all *sizing
}

func (s sized) Request(ctx context.Context, payload []byte) error {
	s.all.mu.Lock()
	s.all.seen[len(payload)]++
	s.all.mu.Unlock()
	return s.Requester.Request(ctx, payload)
}

// A group that freezes as it returns, until after the window, drains nothing in time, and the cell ends.
func TestAGroupThatReadsNothingReachesTheBound(t *testing.T) {
	cell, f := lagging(t, loopback.Config{Freezes: []loopback.Freeze{{At: 0, For: time.Hour}}})
	c, err := drained(t, cell, f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := c.Backlog
	if b.DrainNS != nil || b.Left != 10_000 || b.PerS != 0 || time.Duration(b.WithinNS).Round(ms) != 20*time.Second || b.Groups[0].Missing != 10_000 || b.Groups[1].Missing != 0 {
		t.Errorf("%+v", b)
	}
	if c.Groups[0].Ledger.Lost != 2000 || c.Groups[1].Ledger.Done != 2000 || b.Phases[1].Lagging.Missing != 2000 {
		t.Errorf("%+v %+v", c.Groups[0], b.Phases[1].Lagging)
	}
}

func TestAStoreThatTakesNoMoreEndsTheCell(t *testing.T) {
	cell, f := lagging(t, loopback.Config{})
	full := &filled{Factory: f, after: 5000} // the first is the probe
	c, err := drained(t, cell, full, Options{})
	if c != nil || err == nil || !strings.HasSuffix(err.Error(), "4,999 of 10,000 messages were acknowledged, and then none for 20s: name a smaller backlog, or a larger --timeout") {
		t.Errorf("%+v, %v", c, err)
	}
	cell, f = lagging(t, loopback.Config{})
	full = &filled{Factory: f, after: 5000, refuses: errors.New("no space")}
	if c, err = drained(t, cell, full, Options{}); c != nil || !errors.Is(err, full.refuses) {
		t.Errorf("%+v, %v", c, err)
	}
}

// filled acknowledges only so many messages, and then none, or refuses them.
type filled struct {
	*loopback.Factory
	refuses error
	mu      sync.Mutex
	after   int
}

func (f *filled) New(conn int, sink requester.Sink) (requester.Requester, error) {
	acked := sink.Acked
	sink.Acked = func(payload []byte) {
		f.mu.Lock()
		f.after--
		takes := f.after >= 0
		f.mu.Unlock()
		if takes {
			acked(payload)
		} else if f.refuses != nil {
			sink.Failed(payload, f.refuses)
		}
	}
	return f.Factory.New(conn, sink)
}

// An interruption of each phase gives a valid result.
func TestAnInterruptedBacklogHasAResult(t *testing.T) {
	for at, want := range map[time.Duration]string{
		2 * time.Second: "filling", 41 * time.Second: "warm-up", 51 * time.Second: "drain", // a second after the members left
	} {
		cell, f := lagging(t, loopback.Config{Pace: ms})
		slow := &takingTime{Factory: f, each: 10 * ms} // four connections store 400 messages each second: 25 s
		o := Options{NewWaiter: load.SleepWaiter, Folder: newFolder(t, newStore(t), "cell")}
		cell.Settings.Warmup = 20 * time.Second
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), at)
			defer cancel()
			c, err := Cell(ctx, slow, cell, o)
			if err != nil || !c.Interrupted {
				t.Fatalf("%s: %+v, %v", want, c, err)
			}
			b := c.Backlog
			switch want {
			case "filling":
				if !b.Interrupted || b.Stored < 380 || b.Stored > 420 || b.DrainNS != nil || b.Groups[0].Missing != b.Stored || b.Left != b.Stored || b.Phases == nil {
					t.Errorf("%s: %+v", want, b)
				}
			case "warm-up":
				if b.Interrupted || b.Stored != 10_000 || b.WithinNS != 0 || b.Groups[0].Delivered != 0 || len(b.Phases) != 1 {
					t.Errorf("%s: %+v", want, b)
				}
			case "drain":
				wantAbout(t, "within", b.WithinNS, 6*time.Second) // with a second for late replies
				if b.DrainNS != nil || b.Left < 4038 || b.Left > 4042 || b.Phases[1].Due != b.Phases[1].Ack.Count {
					t.Errorf("%s: %+v", want, b)
				}
			}
		})
	}
}

// An interruption while the members leave has a result, and they leave with the rest.
func TestMembersThatLeaveAreInterrupted(t *testing.T) {
	cell, f := lagging(t, loopback.Config{})
	stays := &staying{Factory: f}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, err := Cell(ctx, stays, cell, Options{NewWaiter: load.SleepWaiter, Folder: newFolder(t, newStore(t), "cell")})
		if err != nil || !c.Interrupted || !c.Backlog.Interrupted || c.Backlog.Stored != 0 || stays.asked.Load() != 2 || stays.left.Load() != 1 {
			t.Fatalf("%+v, %v; asked %d times to leave, %d left", c, err, stays.asked.Load(), stays.left.Load())
		}
	})
}

// staying has a member of group 0 that does not leave until the call is given up, and leaves at the next one.
type staying struct {
	*loopback.Factory
	asked, left atomic.Int64
}

func (s *staying) NewConsumer(at requester.Member, sink requester.Sink) (requester.Consumer, error) {
	made, err := s.Factory.NewConsumer(at, sink)
	if at.Group == 0 {
		made = stayer{made, s}
	}
	return made, err
}

type stayer struct {
	requester.Consumer
	all *staying
}

func (s stayer) Teardown(ctx context.Context) error {
	if s.all.asked.Add(1) == 1 {
		<-ctx.Done()
		return ctx.Err()
	}
	s.all.left.Add(1)
	return s.Consumer.Teardown(ctx)
}

// takingTime takes its time for each message.
type takingTime struct {
	*loopback.Factory
	each time.Duration
}

func (s *takingTime) New(conn int, sink requester.Sink) (requester.Requester, error) {
	made, err := s.Factory.New(conn, sink)
	return pausing{made, s.each}, err
}

type pausing struct {
	requester.Requester
	each time.Duration
}

func (s pausing) Request(ctx context.Context, payload []byte) error {
	time.Sleep(s.each)
	return s.Requester.Request(ctx, payload)
}

func TestASystemThatKeepsNothingHasNoBacklog(t *testing.T) {
	cell, _ := lagging(t, loopback.Config{})
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var refused *requester.TopologyError
	if c, err := Cell(t.Context(), f, cell, Options{}); !errors.As(err, &refused) || c != nil {
		t.Fatalf("%+v, %v", c, err)
	}
}

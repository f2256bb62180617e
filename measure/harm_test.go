package measure

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A wire answers each message after what the functions say; a nil ack never comes. It keeps
// what it acknowledged but for what forgets says. Offsets count from the first request.
type wire struct {
	reply   func(conn int, at time.Duration) time.Duration // negative: never
	ack     func(conn int, at time.Duration) time.Duration // negative: never
	forgets func(at time.Duration) bool
	refuses func(at time.Duration) bool
	twice   func(at time.Duration) bool

	start time.Time
	mu    sync.Mutex
	store [][]byte
}

type strand struct {
	wire  *wire
	conn  int
	reply requester.Reply
	ack   func([]byte)
}

var errRefused = errors.New("refused")

func (w *wire) New(conn int, reply requester.Reply) (requester.Requester, error) {
	s := &strand{wire: w, conn: conn, reply: reply}
	if w.ack == nil {
		return s, nil
	}
	return acking{s}, nil
}

func (w *wire) Audit(_ context.Context, kept func([]byte)) error {
	if w.ack == nil {
		return requester.ErrKeepsNothing
	}
	for _, payload := range w.store {
		kept(payload)
	}
	return nil
}

func (s *strand) Setup(context.Context) error    { return nil }
func (s *strand) Teardown(context.Context) error { return nil }

func (s *strand) Request(_ context.Context, payload []byte) error {
	w, payload := s.wire, bytes.Clone(payload)
	stamp, _ := requester.ReadStamp(payload)
	if stamp.Seq == requester.ProbeSeq {
		s.reply(payload)
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.start.IsZero() {
		w.start = time.Now()
	}
	at := time.Since(w.start)
	if w.refuses != nil && w.refuses(at) {
		return errRefused
	}
	if w.forgets == nil || !w.forgets(at) {
		w.store = append(w.store, payload)
	}
	times := 1
	if w.twice != nil && w.twice(at) {
		times = 2
	}
	for range times {
		after(w.reply(s.conn, at), func() { s.reply(payload) })
	}
	if w.ack != nil {
		after(w.ack(s.conn, at), func() { s.ack(payload) })
	}
	return nil
}

func after(wait time.Duration, do func()) {
	if wait >= 0 {
		time.AfterFunc(wait, do)
	}
}

type acking struct{ *strand }

func (a acking) NotifyAck(ack func([]byte)) { a.ack = ack }

// A scripted breaker says what it is told to say, and breaks nothing.
type scripted struct {
	faults []results.Fault
	healed time.Time
}

func (s *scripted) Begin(requester.Factory, time.Time, time.Duration) {}

func (s *scripted) Heal(context.Context) []results.Fault {
	s.healed = time.Now()
	return s.faults
}

// always answers after a delay, but in silent times after their end.
func always(delay time.Duration, silent ...silence) func(int, time.Duration) time.Duration {
	return func(_ int, at time.Duration) time.Duration {
		for _, s := range silent {
			if due := at + delay; due >= s.from && due < s.to {
				return s.to - at
			}
		}
		return delay
	}
}

// killsAt plans faults at offsets of the window, each healed after 2 s.
func killsAt(offsets ...time.Duration) (planned []plan.Fault) {
	for _, at := range offsets {
		planned = append(planned, plan.Fault{At: at, Do: plan.Kill, Node: plan.Leader})
	}
	return planned
}

// brokenCell measures a cell with a warm-up of 1 s in virtual time. The breaker does all that is planned when it is
// planned.
func brokenCell(t *testing.T, w *wire, cell plan.Cell) *results.Cell {
	t.Helper()
	var b scripted
	for _, p := range cell.Settings.Faults {
		began := int64(cell.Settings.Warmup + p.At)
		if p.Do != plan.Fall {
			b.faults = append(b.faults, results.Fault{Plan: p, BeganNS: began, BrokenNS: began + 1e6, HealedNS: new(began + 2e9)})
		}
	}
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		var err error
		if c, err = Cell(t.Context(), w, cell, Options{newWaiter: load.SleepWaiter, Breaker: &b}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour) // what was left behind ends
	})
	wantWhole(t, c)
	return c
}

// wantWhole wants the parts of the faults to add up.
func wantWhole(t *testing.T, c *results.Cell) {
	t.Helper()
	lost, audited := int64(0), false
	for i, f := range c.Faults {
		h := f.Harm
		if h == nil {
			continue
		}
		if h.Due != h.Done+h.Failed+h.Lost || h.Due < 0 || h.Lost < 0 || h.Acked > h.Due {
			t.Errorf("fault %d: %+v does not add up", i, *h)
		}
		if h.AckedLost != nil {
			lost, audited = lost+*h.AckedLost, true
		}
	}
	if c.Audit != nil && c.Audit.Error == "" && audited && lost != c.Audit.Missing {
		t.Errorf("%d acknowledged and lost in the faults, %d in the audit", lost, c.Audit.Missing)
	}
}

func brokenAt(rate schedule.Rate, window time.Duration, faults ...time.Duration) plan.Cell {
	cell := cellOf(rate, window)
	cell.Settings.Faults = killsAt(faults...)
	return cell
}

const second = time.Second

// wantFor wants a duration within a few milliseconds.
func wantFor(t *testing.T, what string, ns int64, want time.Duration) {
	t.Helper()
	if got := time.Duration(ns); math.Abs(float64(got-want)) > float64(5*ms) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestAnOutageIsTimedAndCounted(t *testing.T) {
	silent := silence{6 * second, 11 * second}
	w := &wire{reply: always(ms, silent), ack: always(ms/2, silence{6 * second, 9 * second})}
	c := brokenCell(t, w, brokenAt(500, 30*second, 5*second))
	h := c.Faults[0].Harm
	wantFor(t, "deliveries", h.Deliveries.ForNS, 5*second)
	wantFor(t, "acks", h.Acks.ForNS, 3*second)
	wantFor(t, "last", h.Deliveries.LastNS, 6*second)
	wantFor(t, "first", *h.Deliveries.FirstNS, 11*second)
	wantFor(t, "whole", h.Deliveries.WholeNS, 5*second)
	wantFor(t, "usual", h.Deliveries.UsualNS, 2*ms)
	wantFor(t, "worst", h.WorstNS, 5*second)
	wantFor(t, "p99 before", *h.BaseP99NS, ms)
	wantFor(t, "p99 later", *h.LaterP99NS, ms)
	if !h.Deliveries.Shown || h.Deliveries.Connections != 1 || math.Abs(float64(h.Deliveries.Due-2500)) > 2 {
		t.Errorf("%+v", *h.Deliveries)
	}
	if got := time.Duration(*h.RecoveredNS); got < 5*second-2*leastSlot || got > 5*second+leastSlot {
		t.Errorf("p99 was back after %v", got)
	}
	if h.Lost+h.Failed != 0 || h.Due < 12_500 || h.Due > 12_510 {
		t.Errorf("%+v", *h)
	}
}

// What a fault did is no reason to doubt the cell, but percentiles say that it is in them.
func TestFaultsExcuseWhatTheyDo(t *testing.T) {
	never := func(_ int, at time.Duration) time.Duration {
		if at > 6*second && at < 8*second {
			return -1
		}
		return ms
	}
	c := brokenCell(t, &wire{reply: never}, brokenAt(500, 20*second, 5*second))
	if c.Verdict != results.Valid || c.Faults[0].Harm.Lost == 0 {
		t.Errorf("%s %+v", c.Verdict, c.Problems)
	}
	row, _ := c.Response.At(95)
	if p50, _ := c.Response.At(50); !p50.Usable() || row.Usable() {
		t.Errorf("p50 %+v, p95 %+v", p50, row)
	}
	// The same without a fault is a broken cell.
	if c := brokenCell(t, &wire{reply: never}, cellOf(500, 20*second)); c.Verdict != results.Invalid {
		t.Errorf("without faults: %s", c.Verdict)
	}
}

func TestMissingBeforeTheFirstFaultIsNotExcused(t *testing.T) {
	c := brokenCell(t, &wire{reply: func(_ int, at time.Duration) time.Duration {
		if at > 3*second && at < 3*second+100*ms {
			return -1
		}
		return ms
	}}, brokenAt(500, 20*second, 8*second))
	if p, ok := c.Problem(results.CodeMissing); !ok || p.Severity == results.Valid {
		t.Errorf("%s %+v", c.Verdict, c.Problems)
	}
}

// A broker that takes 10 s for everything, and steadily, has no outage.
func TestASlowSteadyBrokerHasNoOutage(t *testing.T) {
	cell := brokenAt(500, 40*second, 20*second)
	cell.Settings.Timeout = 20 * second
	h := brokenCell(t, &wire{reply: always(10 * second)}, cell).Faults[0].Harm
	if h.Deliveries.Shown || h.Deliveries.Due != 0 || h.Deliveries.For() > 5*ms {
		t.Errorf("%+v", *h.Deliveries)
	}
	if h.RecoveredNS == nil || *h.RecoveredNS != 0 {
		t.Errorf("p99 was back after %v ns, and had never left", h.RecoveredNS)
	}
	// What was on its way at the fault counts.
	wantFor(t, "from", h.FromNS, 11*second)
}

// Between two bursts nothing is due: a fault there harms nobody.
func TestAFaultWhileNothingIsDue(t *testing.T) {
	cell := brokenAt(10, 60*second, 23*second)
	cell.Shape.Arrivals = "burst:100" // each 10 s
	h := brokenCell(t, &wire{reply: always(ms, silence{24 * second, 28 * second})}, cell).Faults[0].Harm
	if h.Deliveries.Shown || h.Deliveries.Due != 0 {
		t.Errorf("%+v", *h.Deliveries)
	}
}

// A silence over two faults is in both, each time from the fault on.
func TestFaultsThatOverlap(t *testing.T) {
	w := &wire{reply: always(ms, silence{6 * second, 12 * second})}
	c := brokenCell(t, w, brokenAt(500, 30*second, 5*second, 8*second))
	first, next := c.Faults[0].Harm, c.Faults[1].Harm
	wantFor(t, "first", first.Deliveries.ForNS, 6*second)
	wantFor(t, "second", next.Deliveries.ForNS, 3*second)
	wantFor(t, "the last before the second", next.Deliveries.LastNS, 6*second)
	if first.RecoveredNS != nil || next.RecoveredNS == nil {
		t.Errorf("p99 was back after %v and %v", first.RecoveredNS, next.RecoveredNS)
	}
	if first.ToNS != next.FromNS || first.Due+next.Due < 12_500 || first.Due+next.Due > 12_510 {
		t.Errorf("%+v\n%+v", *first, *next)
	}
}

func TestFaultsAtTheSameTimeHaveOneHarm(t *testing.T) {
	w := &wire{reply: always(ms, silence{6 * second, 8 * second})}
	c := brokenCell(t, w, brokenAt(500, 20*second, 5*second, 5*second))
	if c.Faults[0].Harm != nil || c.Faults[1].Harm == nil {
		t.Fatalf("%+v", c.Faults)
	}
	wantFor(t, "the second", c.Faults[1].Harm.Deliveries.ForNS, 2*second)
}

func TestAFaultInTheLastSecond(t *testing.T) {
	w := &wire{reply: always(ms, silence{10*second + second/2, 13 * second})}
	c := brokenCell(t, w, brokenAt(500, 10*second, 9*second+second/2))
	h := c.Faults[0].Harm
	wantFor(t, "outage", h.Deliveries.ForNS, 2*second+second/2)
	if !h.Deliveries.Shown || h.Deliveries.Due < 248 || h.Deliveries.Due > 250 || h.RecoveredNS != nil || h.Lost != 0 {
		t.Errorf("%+v %+v", *h, *h.Deliveries)
	}
}

func TestASystemThatNeverComesBack(t *testing.T) {
	h := brokenCell(t, &wire{reply: always(ms, silence{6 * second, time.Hour})}, brokenAt(500, 20*second, 5*second)).Faults[0].Harm
	if !h.Deliveries.Shown || h.Deliveries.Over() || h.RecoveredNS != nil || h.Lost < 7498 || h.Lost > 7502 {
		t.Errorf("%+v %+v", *h, *h.Deliveries)
	}
	wantFor(t, "at least", h.Deliveries.ForNS, 15*second)
}

// One message that is lost at the very end is lost, and no outage.
func TestALostLastMessageIsNoOutage(t *testing.T) {
	h := brokenCell(t, &wire{reply: func(_ int, at time.Duration) time.Duration {
		if at >= 20*second+998*ms {
			return -1
		}
		return ms
	}}, brokenAt(500, 20*second, 5*second)).Faults[0].Harm
	if h.Deliveries.Shown || h.Lost != 1 {
		t.Errorf("%+v %+v", *h, *h.Deliveries)
	}
}

// What was silent before the fault is not the fault's: the time counts from it.
func TestAnOutageThatBeganBeforeTheFault(t *testing.T) {
	w := &wire{reply: always(ms, silence{5 * second, 12 * second})}
	h := brokenCell(t, w, brokenAt(500, 30*second, 5*second)).Faults[0].Harm
	wantFor(t, "outage", h.Deliveries.ForNS, 6*second)
	wantFor(t, "last", h.Deliveries.LastNS, 5*second)
	wantFor(t, "usual", h.Deliveries.UsualNS, second)
	if !h.Deliveries.Shown {
		t.Errorf("%+v", *h.Deliveries)
	}
}

// At 0.1 messages per second nothing comes for 10 s anyway.
func TestRareMessagesShowLongOutagesOnly(t *testing.T) {
	for _, tt := range []struct {
		silent silence
		shown  bool
	}{{silence{}, false}, {silence{201 * second, 209 * second}, false}, {silence{201 * second, 260 * second}, true}} {
		cell := brokenAt(0.1, 400*second, 202*second)
		cell.Settings.Timeout = 100 * second
		h := brokenCell(t, &wire{reply: always(ms, tt.silent)}, cell).Faults[0].Harm
		if h.Deliveries.Shown != tt.shown || h.BaseP99NS != nil {
			t.Errorf("%v: %+v, base %v", tt.silent, *h.Deliveries, h.BaseP99NS)
		}
	}
}

// One connection of 25 is cut: its outage is seen, and that the others had none.
func TestAnOutageOfOneConnection(t *testing.T) {
	whole := always(ms, silence{6 * second, 10 * second})
	w := &wire{reply: func(conn int, at time.Duration) time.Duration {
		if conn == 17 {
			return whole(conn, at)
		}
		return ms
	}}
	cell := brokenAt(500, 20*second, 5*second)
	cell.Shape.Connections = 25
	h := brokenCell(t, w, cell).Faults[0].Harm
	d := h.Deliveries
	wantFor(t, "outage", d.ForNS, 4*second)
	if d.Connections != 1 || d.WholeNS != 0 || d.Due < 79 || d.Due > 81 {
		t.Errorf("%+v", *d)
	}
}

// With many connections each is silent for longer than the outage is: all together are not.
func TestAnOutageThatOnlyAllTogetherShow(t *testing.T) {
	cell := brokenAt(500, 20*second, 5*second)
	cell.Shape.Connections = 5000
	d := brokenCell(t, &wire{reply: always(ms, silence{6 * second, 8 * second})}, cell).Faults[0].Harm.Deliveries
	wantFor(t, "outage", d.ForNS, 2*second)
	wantFor(t, "usual", d.UsualNS, 2*ms)
	if !d.Shown || d.Connections != 5000 || d.Due < 998 || d.Due > 1000 {
		t.Errorf("%+v", *d)
	}
}

// Replies that were on their way when the fault began come after it: the outage counts from
// the last of them.
func TestRepliesOnTheirWay(t *testing.T) {
	w := &wire{reply: func(_ int, at time.Duration) time.Duration {
		if at < 6*second || at >= 9*second {
			return 200 * ms
		}
		return 9*second + 200*ms - at
	}}
	h := brokenCell(t, w, brokenAt(500, 20*second, 5*second)).Faults[0].Harm
	wantFor(t, "last", h.Deliveries.LastNS, 6*second+200*ms)
	wantFor(t, "outage", h.Deliveries.ForNS, 3*second)
	wantFor(t, "from", h.FromNS, 6*second-200*ms)
}

func TestWhatIsAcknowledgedAndLostCountsForTheFaultThatLostIt(t *testing.T) {
	w := &wire{
		reply: always(ms), ack: always(ms),
		// Of the warm-up, just before the first fault, just before the second, and after all.
		forgets: func(at time.Duration) bool {
			return at < 4*ms || at > 5900*ms && at < 6*second || at > 10900*ms && at < 11*second || at > 18*second
		},
	}
	cell := brokenAt(500, 20*second, 5*second, 10*second)
	cell.Settings.Audit = true
	c := brokenCell(t, w, cell)
	first, next := *c.Faults[0].Harm.AckedLost, *c.Faults[1].Harm.AckedLost
	if first != 51 || next < 1540 || first+next != c.Audit.Missing {
		t.Errorf("%d and %d of %d", first, next, c.Audit.Missing)
	}
	if c.Verdict != results.Suspect {
		t.Errorf("%s: what was promised and is lost is not excused", c.Verdict)
	}
}

func TestFailedDuplicateAndOutOfOrder(t *testing.T) {
	in := func(from, to time.Duration) func(time.Duration) bool {
		return func(at time.Duration) bool { return at > from && at < to }
	}
	w := &wire{
		refuses: in(7*second, 8*second), twice: in(6*second+second/2, 7*second),
		reply: func(_ int, at time.Duration) time.Duration {
			if in(9*second, 9*second+20*ms)(at) {
				return 50 * ms
			}
			return ms
		},
	}
	h := brokenCell(t, w, brokenAt(500, 20*second, 5*second)).Faults[0].Harm
	if h.Failed < 498 || h.Failed > 500 || h.Duplicates < 248 || h.Duplicates > 250 || h.OutOfOrder < 8 || h.OutOfOrder > 10 {
		t.Errorf("%+v", *h)
	}
}

func TestAFaultThatNobodyMadeIsSaid(t *testing.T) {
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		var err error
		cell := brokenAt(100, 5*second, second)
		if c, err = Cell(t.Context(), &wire{reply: always(ms)}, cell, Options{newWaiter: load.SleepWaiter}); err != nil {
			t.Fatal(err)
		}
	})
	if p, ok := c.Problem(results.CodeFault); !ok || c.Verdict != results.Suspect || c.Faults[0].Harm != nil {
		t.Errorf("%s %+v %+v", c.Verdict, p, c.Faults)
	}
}

// Poisson arrivals have long gaps: they are no outages, and an outage is found among them.
func TestOutagesOfRandomArrivals(t *testing.T) {
	for seed := range uint64(6) {
		for _, silent := range []silence{{}, {21 * second, 23 * second}} {
			cell := brokenAt(200, 60*second, 20*second)
			cell.Shape.Arrivals, cell.Settings.Seed, cell.Shape.Connections = schedule.Poisson, seed, 4
			d := brokenCell(t, &wire{reply: always(ms, silent)}, cell).Faults[0].Harm.Deliveries
			if d.Shown != (silent.to > 0) {
				t.Errorf("seed %d, %v: %+v", seed, silent, *d)
			}
		}
	}
}

// What comes again counts once, also in the step in which the next fault begins.
func TestDuplicatesCountForOneFault(t *testing.T) {
	w := &wire{reply: always(ms), twice: func(at time.Duration) bool { return at > 6*second+second/2 && at < 7*second }}
	c := brokenCell(t, w, brokenAt(500, 20*second, 5*second, 5*second+3*second/4+20*ms))
	if first, next := c.Faults[0].Harm.Duplicates, c.Faults[1].Harm.Duplicates; first+next != c.Strays.Duplicate || first < 110 || next < 100 {
		t.Errorf("%d and %d of %d", first, next, c.Strays.Duplicate)
	}
}

// Of very many connections only all together are followed.
func TestVeryManyConnections(t *testing.T) {
	if s := newSilences(1_000_000, nil); s.each != nil {
		t.Errorf("%d connections are followed", len(s.each))
	}
	s := newSilences(1_000_000, nil)
	s.note(999_999, ms)
	s.note(7, 3*ms)
	if usual, ok := s.all.usual(0, 10*ms); !ok || usual != 7*ms {
		t.Errorf("usual %v, %v", usual, ok)
	}
}

// A target that does not carry the rate at all is not excused by a fault.
func TestAnOverloadIsNotExcused(t *testing.T) {
	silent := func(int, time.Duration) time.Duration { return -1 }
	c := brokenCell(t, &wire{reply: silent}, brokenAt(500, 20*second, 5*second))
	if c.Verdict == results.Valid {
		t.Errorf("nothing ever came, and the cell is %s: %v", c.Verdict, c.Problems)
	}
	half := func(_ int, at time.Duration) time.Duration {
		if at/ms%4 < 2 {
			return -1
		}
		return ms
	}
	if c := brokenCell(t, &wire{reply: half}, brokenAt(500, 20*second, 5*second)); c.Verdict != results.Invalid {
		t.Errorf("half of it came, and the cell is %s: %v", c.Verdict, c.Problems)
	}
}

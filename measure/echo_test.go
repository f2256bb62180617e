package measure

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A path takes a message to an echo and back. Its echo's clock shows skew more than it should.
type path struct {
	out, back, skew time.Duration
	unstamped       func(seq uint64) bool // of these the echo does not say when it had them

	epoch  time.Time
	report EchoReport
	known  results.EchoClock
	side   requester.Side
	closed int
}

type pathConn struct {
	*path
	reply func([]byte)
}

func (p *path) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &pathConn{p, sink.Reply}, nil
}

func (p *path) TakeSide(side requester.Side) error { p.side = side; return nil }

// clock is what the callers take for the echo's clock.
func (p *path) clock(at time.Time) int64 { return int64(time.Hour) + int64(at.Sub(p.epoch)) }

func (p *path) Open(context.Context) (EchoOpened, error) {
	return EchoOpened{Clock: p.clock, Known: &p.known}, nil
}
func (*path) Started()             {}
func (p *path) Report() EchoReport { return p.report }
func (p *path) Close() []string    { p.closed++; return []string{"queue x"} }

func (*pathConn) Traits() requester.Traits       { return requester.Traits{} }
func (*pathConn) Setup(context.Context) error    { return nil }
func (*pathConn) Teardown(context.Context) error { return nil }

func (c *pathConn) Request(_ context.Context, payload []byte) error {
	payload = bytes.Clone(payload)
	time.AfterFunc(c.out, func() {
		stamp, _ := requester.ReadStamp(payload)
		if c.unstamped == nil || stamp.Seq == requester.ProbeSeq || !c.unstamped(stamp.Seq) {
			requester.PutEcho(payload, c.clock(time.Now())+int64(c.skew))
		}
		time.AfterFunc(c.back, func() { c.reply(payload) })
	})
	return nil
}

// measured measures 100/s for 2 s in virtual time.
func (p *path) measured(t *testing.T) (c *results.Cell, folder *results.CellFolder, left []string) {
	t.Helper()
	cell := cellOf(100, 2*time.Second)
	cell.Settings.Echo = plan.EchoProcess
	folder = newFolder(t, newStore(t), "cell")
	synctest.Test(t, func(t *testing.T) {
		p.epoch = time.Now()
		var err error
		o := Options{NewWaiter: load.SleepWaiter, Folder: folder, Echo: p, Left: func(names []string) { left = names }}
		if c, err = judged(t.Context(), p, cell, o); err != nil {
			t.Fatal(err)
		}
	})
	return c, folder, left
}

// A delay of one direction alone is in that half, and the halves are the whole.
func TestTheWayIsSplit(t *testing.T) {
	for _, p := range []*path{{out: 3 * ms, back: 7 * ms}, {out: 20 * ms}, {back: 20 * ms}} {
		c, folder, left := p.measured(t)
		if c.Outward == nil || c.Back == nil || c.Echo == nil || c.Outward.Count != 200 {
			t.Fatalf("outward %+v, back %+v, echo %+v", c.Outward, c.Back, c.Echo)
		}
		wantNear(t, *c.Outward, 50, p.out)
		wantNear(t, *c.Back, 99, p.back)
		wantNear(t, c.Response, 99, p.out+p.back)
		wantLog(t, folder, map[string]int64{"outward": 200, "back": 200, "response": 200, "warmup": 100})
		if p.side != requester.Caller || p.closed == 0 || len(left) != 1 || c.Audit != nil {
			t.Errorf("side %v, closed %d times, left %v, audit %+v", p.side, p.closed, left, c.Audit)
		}
	}
}

// Of two clocks that differ, times may be below zero: they are counted, and rank lowest.
func TestTimesBelowZeroAreKept(t *testing.T) {
	c, _, _ := (&path{out: 3 * ms, back: 7 * ms, skew: -5 * ms}).measured(t)
	if got, want := c.Echo.Clock.Outward, (results.BelowZero{Count: 200, LeastNS: int64(-2 * ms)}); got != want {
		t.Errorf("outward below zero: %+v, want %+v", got, want)
	}
	if c.Echo.Clock.Back != (results.BelowZero{}) || c.Outward.Clamped != 0 {
		t.Errorf("back below zero: %+v, %d clamped", c.Echo.Clock.Back, c.Outward.Clamped)
	}
	wantNear(t, *c.Outward, 99, 0)
	wantNear(t, *c.Back, 50, 12*ms)
	wantNear(t, c.Response, 50, 10*ms) // of one clock, and so right
}

// What is less than ten times the bound of two clocks is not said.
func TestWhatTheClocksCannotTellIsWithheld(t *testing.T) {
	c, folder, _ := (&path{out: 3 * ms, back: 7 * ms, known: results.EchoClock{BoundNS: int64(ms / 2), Source: "guessed"}}).measured(t)
	row, _ := c.Outward.At(50)
	if row.ValueNS != nil || !row.Withheld || c.Outward.MaxNS != 0 || c.Outward.Count != 200 || c.Echo.Clock.LeastNS != int64(5*ms) {
		t.Errorf("outward %+v, clock %+v", *c.Outward, *c.Echo.Clock)
	}
	wantNear(t, *c.Back, 50, 7*ms)
	wantNear(t, c.Response, 50, 10*ms)
	if _, err := folder.OpenIntervals(); err != nil {
		t.Error(err)
	}
}

// A message that came back without having been at the echo is no reply.
func TestWhatWasNotAtTheEchoIsCorrupt(t *testing.T) {
	c, _, _ := (&path{out: ms, back: ms, unstamped: func(seq uint64) bool { return seq%4 == 0 }}).measured(t)
	if c.Strays.Corrupt != 75 || c.Ledger.Lost != 50 || c.Outward.Count != 150 || c.Outward.Missing != 50 {
		t.Errorf("strays %+v, ledger %+v, outward %d of %d", c.Strays, c.Ledger, c.Outward.Count, c.Outward.Count+c.Outward.Missing)
	}
}

// Who sends to itself alone can have no echo: that is said before anything is measured.
func TestNoEchoForWhoReceivesWhatItSends(t *testing.T) {
	_, err := judged(t.Context(), socketed{}, cellOf(100, time.Second), Options{Echo: &path{}})
	if err == nil || !strings.Contains(err.Error(), "an echo is not possible") {
		t.Error(err)
	}
}

// The echo is not blamed on the target: each way in which it spoils a cell has its problem.
func TestTheEchoIsNotBlamedOnTheTarget(t *testing.T) {
	of := func(v time.Duration) *histogram.Histogram {
		h := histogram.New()
		for range 1000 {
			h.Record(v)
		}
		return h
	}
	for name, tt := range map[string]struct {
		report EchoReport
		text   string // "" is no problem
		worst  results.Verdict
	}{
		"good":   {EchoReport{Handling: of(ms / 10), Hiccup: of(ms / 10)}, "", ""},
		"lost":   {EchoReport{Echo: results.Echo{Lost: "signal: killed"}}, "the echo was lost: signal: killed", results.Invalid},
		"failed": {EchoReport{Echo: results.Echo{Received: 9, Failed: 3, Cause: "away"}}, "could not send back 3 of 9 messages; the first: away", results.Suspect},
		"busy":   {EchoReport{Echo: results.Echo{Busy: 0.93}, Handling: of(ms)}, "busy for 93 %", results.Valid},
		"slow":   {EchoReport{Handling: of(6 * ms)}, "the echo was slow: handling p50 is 6.00 ms of a response p50 of 10.0 ms", results.Valid},
		"paused": {EchoReport{Handling: of(ms / 10), Hiccup: of(6 * ms)}, "the echo stood still: its hiccup p50 is 6.00 ms", results.Valid},
	} {
		c, _, _ := (&path{out: 3 * ms, back: 7 * ms, report: tt.report}).measured(t)
		p, found := c.Problem(results.CodeEcho)
		if found != (tt.text != "") || !strings.Contains(p.Text, tt.text) || p.Severity != tt.worst {
			t.Errorf("%s: %+v, want %q", name, p, tt.text)
		}
		if row, _ := c.Response.At(50); found && name != "failed" && row.Usable() {
			t.Errorf("%s: p50 counts as usable", name)
		}
	}
}

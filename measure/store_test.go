package measure

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A logs is a system with a log for each connection: it stores a message after some time, acknowledges it 1 ms later
// and delivers it after one more. Beyond keeps messages a log discards its first ones.
type logs struct {
	keeps   int                                                 // messages of each log; 0: all
	after   func(seq uint64) time.Duration                      // until a message of the run is stored; nil: at once
	forgets func(conn int, seq uint64) bool                     // acknowledged, and not stored
	refuse  error                                               // of each message to fill the store
	unknown bool                                                // it does not tell what it discarded
	several bool                                                // it says that a connection has several logs
	state   func(now requester.StoreState) requester.StoreState // what it says; nil: as it is
	deaf    bool                                                // consumers get nothing

	mu        sync.Mutex
	all       [][][]byte
	discarded int64
	fills     int // messages that were none of the run
	run       uint32
	probed    bool
	left      int // connections that were torn down
}

type logged struct {
	of   *logs
	conn int
	sink requester.Sink
}

func (l *logs) New(conn int, sink requester.Sink) (requester.Requester, error) {
	for len(l.all) <= conn {
		l.all = append(l.all, nil)
	}
	return &logged{l, conn, sink}, nil
}

func (l *logs) Store() requester.Store {
	s := requester.Store{Retention: int64(l.keeps * 64)}
	if l.several {
		s.Logs = 2
	}
	return s
}

func (l *logs) StoreState(ctx context.Context) (s requester.StoreState, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Discarded = l.discarded
	for _, one := range l.all {
		s.Messages += int64(len(one))
		for _, m := range one {
			s.Bytes += int64(len(m)) + 8
		}
	}
	if l.unknown {
		s.Discarded = -1
	}
	if l.state != nil {
		s = l.state(s)
	}
	return s, ctx.Err()
}

func (l *logs) Audit(_ context.Context, kept func([]byte)) error {
	for _, one := range l.all {
		for _, payload := range one {
			kept(payload)
		}
	}
	return nil
}

func (l *logs) add(conn int, payload []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[conn] = append(l.all[conn], payload)
	if l.keeps > 0 && len(l.all[conn]) > l.keeps {
		l.all[conn] = l.all[conn][1:]
		l.discarded++
	}
}

func (*logged) Traits() requester.Traits    { return requester.Traits{Acknowledges: true} }
func (*logged) Setup(context.Context) error { return nil }
func (c *logged) Teardown(context.Context) error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.left++
	return nil
}

func (c *logged) Request(_ context.Context, payload []byte) error {
	stamp, _ := requester.ReadStamp(payload)
	payload = bytes.Clone(payload)
	c.of.mu.Lock()
	if !c.of.probed { // the probe is the first
		c.of.probed, c.of.run = true, stamp.Run
	}
	ours, wait, forgotten := stamp.Run == c.of.run && stamp.Seq != requester.ProbeSeq, time.Duration(0), false
	if !ours && stamp.Run != c.of.run {
		c.of.fills++
	}
	if ours && c.of.after != nil {
		wait = c.of.after(stamp.Seq)
	}
	if ours && c.of.forgets != nil {
		forgotten = c.of.forgets(c.conn, stamp.Seq)
	}
	c.of.mu.Unlock()
	if stamp.Run != c.of.run && c.of.refuse != nil {
		return c.of.refuse
	}
	go func() { // no AfterFunc: the race detector of Go 1.26 fails after 100,000 of them in a bubble
		if wait > 0 {
			time.Sleep(wait)
		}
		if !forgotten {
			c.of.add(c.conn, payload)
		}
		time.Sleep(ms)
		c.sink.Acked(payload)
		time.Sleep(ms)
		if !c.of.deaf || stamp.Run == c.of.run {
			c.sink.Reply(payload)
		}
	}()
	return nil
}

// filledOf measures 1,000/s over 2 connections for 5 s, after the store was filled until it holds so many bytes.
func filledOf(t *testing.T, l *logs, until int64, o Options) (c *results.Cell, err error) {
	t.Helper()
	cell := cellOf(1000, 5*time.Second)
	if l.deaf { // consumers may be many bytes behind
		cell.Shape.Size = 64 << 10
	}
	cell.Settings.Audit, cell.Shape.Connections, cell.Shape.UntilStore = true, 2, until
	synctest.Test(t, func(t *testing.T) {
		o.NewWaiter = load.SleepWaiter
		c, err = judged(t.Context(), l, cell, o)
		time.Sleep(time.Hour)
	})
	return c, err
}

func TestAStoreIsFilledUntilItHoldsTheBytes(t *testing.T) {
	const until = 4 << 20
	l := &logs{}
	c, err := filledOf(t, l, until, Options{Memory: func() Memory { return Memory{Bytes: 1 << 20, PageCache: new(int64(7))} }})
	if err != nil {
		t.Fatal(err)
	}
	f := c.StoreFill
	if f.End != results.FillBytes || *f.Before.Bytes < until || *f.Before.Bytes > until+1000*72 || f.Messages != int64(l.fills) || f.Bytes != 64*f.Messages || f.Undelivered != 0 {
		t.Errorf("%+v, before %+v, %d messages came", f, *f.Before.Bytes, l.fills)
	}
	if *f.After.Messages-*f.Before.Messages != 6000 || *f.After.Discarded != 0 || f.LimitBytes != 0 || *f.PageCacheBytes != 7 {
		t.Errorf("%+v, after %+v", f, f.After)
	}
	if beyond, known := f.BeyondMemory(); !beyond || !known {
		t.Error("the store is beyond the memory of its machine")
	}
	if c.Ledger.Due != 5000 || c.Ledger.Done != 5000 || c.Strays.Foreign != 0 || c.Strays.Duplicate != 0 || c.Audit.Acked != 6000 || c.Audit.Kept != 6000 {
		t.Errorf("ledger %+v, strays %+v, audit %+v", c.Ledger, c.Strays, c.Audit)
	}
	if s := slo(c); s.Outcome != results.Passed {
		t.Errorf("%+v", s)
	}
}

// What the limit discards of the messages that filled the store is none of the run: all messages of the run are there.
func TestAStoreIsFilledUntilItDiscards(t *testing.T) {
	c, err := filledOf(t, &logs{keeps: 20_000}, 8<<20, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := c.StoreFill
	if f.End != results.FillDiscards || *f.Before.Discarded < 1 || *f.After.Discarded < *f.Before.Discarded || *f.After.Messages > 40_000 || f.LimitBytes != 20_000*64 {
		t.Errorf("%+v, before %+v, after %+v", f, f.Before, f.After)
	}
	if a := c.Audit; a.Acked != 6000 || a.Kept != 6000 || a.Missing+a.Discarded != 0 || slo(c).Outcome != results.Passed {
		t.Errorf("audit %+v, %+v", a, slo(c))
	}
}

// A message that is lost while messages that were stored before it are still there is not one that the limit discarded.
func TestALossInAStoreThatDiscardsIsFound(t *testing.T) {
	lost := func(conn int, seq uint64) bool { return conn == 1 && (seq == 3 || seq == 2500) }
	c, err := filledOf(t, &logs{keeps: 20_000, forgets: lost}, 8<<20, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Audit; a.Missing != 2 || a.Discarded != 0 || a.First.Seq != 3 || a.Last.Seq != 2500 || slo(c).Outcome != results.Missed {
		t.Errorf("audit %+v, %+v", a, slo(c))
	}
}

// Where the limit has discarded messages of the run, those before the first that is there are not decided, and those behind
// it are lost. A message is stored at any time between due and acknowledged, so that what was due soon after the first is
// not decided either.
func TestWhatTheLimitDiscardedIsNotDecided(t *testing.T) {
	const keeps = 1000
	late := func(seq uint64) time.Duration { // each tenth comes 40 ms later: behind 20 messages that were due after it
		if seq%10 == 0 {
			return 40 * ms
		}
		return 0
	}
	lost := func(conn int, seq uint64) bool { return conn == 0 && (seq == 100 || seq == 2900) }
	c, err := filledOf(t, &logs{keeps: keeps, after: late, forgets: lost}, 1<<20, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := c.Audit
	if a.Acked != 6000 || a.Kept != 2*keeps || a.Missing != 1 || a.Discarded != 6000-2*keeps-1 || a.First.Seq != 2900 {
		t.Errorf("audit %+v", a)
	}
	if s := slo(c); s.Outcome != results.Missed {
		t.Errorf("%+v", s)
	}
	c, err = filledOf(t, &logs{keeps: keeps, after: late}, 1<<20, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s, a := slo(c), c.Audit; s.Outcome != results.Inconclusive || a.Missing != 0 || a.Discarded != 6000-2*keeps {
		t.Errorf("%+v, audit %+v", s, a)
	}
}

// A system that does not tell whether it discarded messages, or has several logs for a connection, leaves more open.
func TestWhatIsNotKnownOfALimitIsNotDecided(t *testing.T) {
	lost := func(conn int, seq uint64) bool { return conn == 0 && seq == 2900 }
	for name, l := range map[string]*logs{"unknown": {keeps: 1000, unknown: true}, "several": {keeps: 1000, several: true, forgets: lost}} {
		cell := cellOf(1000, 5*time.Second)
		cell.Settings.Audit, cell.Shape.Connections = true, 2
		synctest.Test(t, func(t *testing.T) {
			c, err := judged(t.Context(), l, cell, Options{NewWaiter: load.SleepWaiter})
			if err != nil {
				t.Fatal(err)
			}
			if a := c.Audit; a.Missing != 0 || a.Discarded != 6000-2000 || slo(c).Outcome != results.Inconclusive {
				t.Errorf("%s: audit %+v, %+v", name, a, slo(c))
			}
		})
	}
}

func TestAStoreThatCannotBeFilled(t *testing.T) {
	full := errors.New("the store is full")
	for name, test := range map[string]struct {
		l    *logs
		want string
	}{
		"refused": {&logs{refuse: full}, "until-store: the store refused a message after 0 of those that 4096KiB take: the store is full"},
		"smaller": {&logs{state: func(s requester.StoreState) requester.StoreState { s.Bytes = s.Messages; return s }}, "name a smaller size"},
		"deaf":    {&logs{deaf: true}, "name a smaller until-store, or a larger --timeout"},
	} {
		until := int64(4 << 20)
		if name == "deaf" {
			until = 256 << 20
		}
		var last Filling
		c, err := filledOf(t, test.l, until, Options{Filling: func(now Filling) { last = now }})
		if name == "deaf" && (last.Until != until || last.Messages != 0 || last.Stored == 0 || last.Bytes != last.Stored*64<<10) {
			t.Errorf("progress %+v", last)
		}
		if c != nil || err == nil || !strings.HasSuffix(err.Error(), test.want) && !strings.HasSuffix(strings.ReplaceAll(err.Error(), "4MiB", "4096KiB"), test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if test.l.left != 2 {
			t.Errorf("%s: %d connections were torn down", name, test.l.left)
		}
	}
	cell := cellOf(1000, time.Second)
	cell.Shape.UntilStore = 1 << 20
	if _, err := Cell(t.Context(), &keeper{}, cell, Options{}); !errors.Is(err, requester.ErrNoMeter) {
		t.Error(err)
	}
}

// Consumers that do not catch up make the numbers doubtful.
func TestConsumersThatDoNotCatchUpWithAFill(t *testing.T) {
	c, err := filledOf(t, &logs{deaf: true}, 4<<20, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := c.StoreFill; f.End != results.FillBytes || f.Undelivered != f.Messages || c.Verdict != results.Suspect || c.Problems[0].Code != results.CodeBacklog {
		t.Errorf("%+v, %s %v", f, c.Verdict, c.Problems)
	}
}

func TestAnInterruptedFillHasAResult(t *testing.T) {
	l := &logs{deaf: true}
	cell := cellOf(1000, 5*time.Second)
	cell.Shape.Connections, cell.Shape.Size, cell.Shape.UntilStore = 2, 64<<10, 256<<20
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		c, err := judged(ctx, l, cell, Options{NewWaiter: load.SleepWaiter})
		if err != nil || !c.Interrupted || c.StoreFill.End != results.FillInterrupted || c.StoreFill.Messages == 0 || l.left != 2 {
			t.Errorf("%v, %+v, %d left", err, c.StoreFill, l.left)
		}
		time.Sleep(time.Hour)
	})
}

// The page cache is dropped when the store is filled, and the result says if it could not be.
func TestAFilledStoreIsReadCold(t *testing.T) {
	l, filled := &logs{}, 0
	c, err := filledOf(t, l, 1<<20, Options{Cold: func() error { filled = l.fills; return errors.New("no root") }})
	if err != nil || c.StoreFill.Cold || c.StoreFill.NotCold != "no root" || filled != l.fills {
		t.Errorf("%v, %+v", err, c.StoreFill)
	}
}

var _ requester.StoreMeter = (*logs)(nil)

// A hung system does not answer from some moment on.
type hung struct {
	*logs

	since atomic.Bool
}

func (h *hung) StoreState(ctx context.Context) (s requester.StoreState, err error) {
	if h.since.Load() {
		<-ctx.Done()
	}
	return h.logs.StoreState(ctx)
}

// A target that no longer says what it stores does not hold up a user who gives up.
func TestTheStoreOfAHungTarget(t *testing.T) {
	cell := cellOf(100, 5*time.Second)
	cell.Shape.UntilStore = 1 << 20
	synctest.Test(t, func(t *testing.T) {
		h, giveUp := &hung{logs: &logs{}}, make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		var over time.Time
		time.AfterFunc(4*time.Second, func() {
			h.since.Store(true)
			cancel()
			over = time.Now()
			close(giveUp)
		})
		c, err := judged(ctx, h, cell, Options{NewWaiter: load.SleepWaiter, GiveUp: giveUp})
		if took := time.Since(over); err != nil || !c.Interrupted || took > 2*time.Second || c.StoreFill.After != nil || c.StoreFill.Error == "" {
			t.Errorf("%v after the end, %v, %+v", took, err, c)
		}
	})
}

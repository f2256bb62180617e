// Package canary measures a broker for weeks with the engine of requester/load: in turns of an hour, whose histograms
// and ledgers are added to those of the day and of the month. A folder holds them, and bounded memory and disk.
package canary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// FlushEvery is how often everything is written that is known: a crash loses so much at most.
const FlushEvery = 10 * time.Second

const (
	prepare   = time.Minute            // how long before the end of a turn the next is set up
	leastWait = time.Second            // after the first attempt to set up a turn that failed; then twice as long, and so on
	mostWait  = 15 * time.Second       // after any
	farewell  = 5 * time.Second        // how long the end waits for turns
	stepLimit = 2 * time.Second        // beyond which a difference between the clocks is a step
	mostLeft  = 20                     // runs with topics that could not be removed, beyond which no more are made
	cleaning  = time.Minute            // how long the removal of the topics of one run may take
	tick      = 100 * time.Millisecond // between two looks at what is to be done, at least
)

// measuring is the cause of no time: a turn sends.
const measuring = "measuring"

// page is a book in memory, with the lines that are to be appended to its log.
type page struct {
	*Book

	lines bytes.Buffer
	log   *histogram.LogWriter
	dirty bool
}

type canary struct {
	Options

	folder *Folder
	pages  map[Period]*page
	alive  map[string]*turn
	events chan event
	swept  chan []string // names of runs that have left nothing
	giveUp chan struct{}

	cur, next *turn // the one that sends, the one that is set up; nil: none
	retry     time.Time
	fails     int
	failing   missing // what the attempts that failed make of the time
	failure   string  // the last

	covered time.Time // all time before is accounted for, or a turn's
	kind    missing   // of the time behind covered
	cause   string
	since   time.Time // when that began; counted of its messages are accounted for
	counted int64
	spec    schedule.Spec

	base, baseWall time.Time
	drift          time.Duration // of the wall clock since base
	hour           Period        // of the last look at what is over
	sweeping       bool

	fatal error // ends the canary; nil: nothing does

	sum  Snapshot // of turns that are over; its histograms have all
	lost error
}

// Run measures until ctx ends, and then closes the turn under way within seconds. The folder stays open. A broker that
// cannot be reached is no error: its messages are unsent. An error means that the configuration is wrong, or that the
// files cannot be read or, at the end, written.
func Run(ctx context.Context, f *Folder, o Options) error {
	c := newCanary(f, o)
	if err := c.resume(); err != nil {
		return err
	}
	if runtime.GOMAXPROCS(0) < 2 { // turns overlap, and each would restore the number that it found
		runtime.GOMAXPROCS(2)
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	flush := c.base
	for ctx.Err() == nil {
		now := time.Now()
		c.step(now)
		if now.Sub(flush) >= c.Flush {
			flush = now
			c.flush(now)
		}
		if c.decide(work, now); c.fatal != nil {
			return errors.Join(c.fatal, c.end(cancel))
		}
		select {
		case e := <-c.events:
			c.handle(work, e)
		case names := <-c.swept:
			c.forget(names...)
			c.sweeping = false
		case <-time.After(min(max(c.Flush/10, tick), prepare/4)):
		case <-ctx.Done():
		}
	}
	return c.end(cancel)
}

func newCanary(f *Folder, o Options) *canary {
	if o.Flush == 0 {
		o.Flush = FlushEvery
	}
	if o.Config.Timeout == 0 {
		o.Config.Timeout = load.DefaultTimeout
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Show == nil {
		o.Show = func(Snapshot) {}
	}
	if o.Wall == nil {
		o.Wall = time.Now
	}
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	if o.engine == nil {
		o.engine = load.Run
	}
	spec := o.Config.Schedule
	spec.Duration = 1<<63 - 1
	return &canary{
		Options: o, folder: f, pages: make(map[Period]*page), alive: make(map[string]*turn), events: make(chan event, 64),
		swept: make(chan []string, 1), giveUp: make(chan struct{}), spec: spec,
		base: time.Now(), baseWall: o.Wall().Round(0), sum: Snapshot{Histograms: NewHistograms()},
	}
}

// page returns the book of a period, which is read or made.
func (c *canary) page(p Period) *page {
	if c.pages[p] != nil {
		return c.pages[p]
	}
	book, _, err := loadBook(c.folder.dir, p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		book = newBook(p)
	case err != nil: // resume could read it
		book = newBook(p)
		book.noteAt(c.Wall(), "the files of the period were moved away: %v", err)
		for _, suffix := range []string{ledgerSuffix, logSuffix} {
			_ = os.Rename(c.folder.path(p, suffix), c.folder.path(p, suffix)+unreadable) // one may be absent
		}
	}
	book.Closed = false
	made := &page{Book: book}
	made.log = histogram.NewLogWriter(&made.lines, p.Start())
	if book.LogBytes > 0 {
		made.lines.Reset() // its log has a head
	}
	c.pages[p] = made
	return made
}

func newBook(p Period) *Book { return &Book{Schema: BookSchema, Period: p, ID: runName(time.Now())} }

// resume settles what an earlier process left, and accounts for the time since.
func (c *canary) resume() error {
	var last time.Time
	cause := "the canary or its machine was down"
	if !c.folder.Stopped.IsZero() {
		cause = "the canary was stopped"
	}
	for _, folder := range []string{hours, days, months} {
		all, err := list(c.folder.dir, folder)
		if err != nil {
			return err
		}
		for _, p := range all {
			book, _, err := Load(c.folder.dir, p)
			if err != nil {
				return err
			}
			if book.To.After(last) {
				last = book.To
			}
			if len(book.Open) == 0 {
				continue
			}
			page := c.page(p)
			page.Ledger, page.Acks = page.Settled()
			for _, left := range page.Open {
				page.gap(Span{From: page.To, To: page.To, Cause: cause, Due: left.Recent})
			}
			page.Open, page.dirty = nil, true
		}
	}
	now := c.wallOf(c.base)
	if c.uncovered(c.base, undecided, cause); last.IsZero() {
		c.cause = ""
	}
	switch {
	case last.After(now.Add(stepLimit)):
		c.page(HourOf(now)).noteAt(now, "the clock is %v behind the last flush: how long nothing was measured is not known", last.Sub(now))
	case !last.IsZero():
		c.span(gap, last, now, cause, c.due)
	}
	c.folder.Stopped = time.Time{}
	c.wrote(c.folder.save())
	c.flush(c.base)
	return c.lost
}

// patience returns how long nothing comes back before a connection is given up.
func (c *canary) patience() time.Duration {
	interval, _ := c.Config.Schedule.Rate.After(1)
	return max(c.Config.Timeout, 3*interval)
}

// decide starts the next turn when it is time, and ends one whose messages do not come back.
func (c *canary) decide(ctx context.Context, now time.Time) {
	if t := c.cur; t != nil {
		silence := now.Sub(t.begun) - time.Duration(t.rec.last.Load())
		switch patience := c.patience(); {
		case silence > patience && now.Before(t.end()):
			c.Say(fmt.Sprintf("nothing has come back for %v: connecting again", patience))
			t.stop, c.cur, c.retry = now.Sub(t.begun), nil, time.Time{}
			t.cancel()
			if c.next != nil { // it would wait for the end of this one
				c.next.dropped = true
				c.next.cancel()
			}
			c.uncovered(now, outage, fmt.Sprintf("nothing came back for %v", patience))
		case now.After(t.end()):
			c.cur = nil
			c.idle(t.end())
		}
	}
	if c.next != nil || now.Before(c.retry) {
		return
	}
	want := time.Time{}
	if c.cur != nil {
		if want = c.cur.end(); want.Sub(now) > prepare {
			return
		}
	}
	if len(c.folder.Runs) >= mostLeft {
		c.failed(now, gap, fmt.Errorf("topics of %s could not be removed, the first of %s: no more are made", words.Plural(mostLeft, "run"), c.folder.Runs[0]))
		c.sweep(ctx)
		return
	}
	c.launch(ctx, want)
}

// failed notes that no turn could be set up.
func (c *canary) failed(now time.Time, kind missing, err error) {
	wait := min(leastWait<<min(c.fails, 10), mostWait)
	c.fails, c.retry = c.fails+1, now.Add(wait)
	text := c.Redact(err.Error())
	switch {
	case c.cause == "": // nothing was ever measured: the target may be wrong
		c.fatal = err
	case c.fails == 1:
		c.Say(fmt.Sprintf("away: %s (trying again, at first after %v and then after %v at most)", text, leastWait, mostWait))
	}
	if c.cur == nil && c.kind == undecided {
		c.kind, c.cause = kind, text
	}
	c.failing, c.failure = kind, text
}

// handle takes what the goroutine of a turn reports.
func (c *canary) handle(ctx context.Context, e event) {
	t := e.turn
	switch {
	case !e.begun.IsZero():
		if c.cur != nil { // the hour is over
			c.idle(c.cur.end())
		}
		if c.kind == undecided {
			c.kind = gap
		}
		if c.cause != "" { // before the first turn of all nothing was due
			c.account(e.begun)
		}
		if c.fails > 0 {
			c.Say("back: messages are sent again")
		}
		t.begin(e.begun, c.wallOf(e.begun))
		c.cur, c.next, c.fails, c.retry, c.cause = t, nil, 0, time.Time{}, measuring
		c.sweep(ctx)
	case t.begun.IsZero(): // it was not set up
		c.next = nil
		delete(c.alive, t.name)
		c.left(t, e.outcome)
		if e.err != nil && ctx.Err() == nil && !t.dropped {
			c.failed(time.Now(), outage, e.err)
		}
	default:
		c.finish(t, e)
	}
}

// finish closes the account of a turn that is over.
func (c *canary) finish(t *turn, e event) {
	out := e.outcome
	if t.stop = min(t.stop, time.Since(t.begun)); e.err == nil {
		t.stop = out.DueTill
	}
	c.take(t, time.Now(), true)
	p := c.page(t.period)
	if e.err != nil { // a defect: the recorded messages count
		p.noteAt(t.wall, "a turn ended with an error: %s", c.Redact(e.err.Error()))
		last := p.Open[t.name]
		last.Recent = 0
		out.Window, out.AckLedger = last.Ledger(), last.Acks()
	}
	for i := range out.Failures {
		out.Failures[i].Cause = c.Redact(out.Failures[i].Cause)
	}
	delete(p.Open, t.name)
	delete(c.alive, t.name)
	p.Add(&Book{Ledger: out.Window, Acks: out.AckLedger, Strays: out.Strays, Failures: out.Failures})
	c.sum.Ledger.Add(out.Window)
	c.sum.Acks.Add(out.AckLedger)
	c.left(t, out)
	if c.cur == t { // it ended before its time
		c.cur = nil
		c.idle(t.end())
	}
}

// left forgets a run that has removed its topics.
func (c *canary) left(t *turn, out load.Outcome) {
	t.cancel()
	if len(out.Left) == 0 {
		c.forget(t.name)
	}
}

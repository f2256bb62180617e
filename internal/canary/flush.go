package canary

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
)

// mostLines bounds what a full disk keeps in memory: beyond it, values stay in the histograms of their turns.
const mostLines = 1 << 20

// take moves what a turn has recorded until a moment into its book; all of it if the turn is over.
func (c *canary) take(t *turn, now time.Time, over bool) {
	p, at := c.page(t.period), min(now.Sub(t.begun), t.stop)
	last := p.Open[t.name]
	if over || p.lines.Len() < mostLines {
		t.rec.Swap(t.fresh[:])
		last.Done += t.fresh[Response].Count()
		c.write(t, p, max(now.Sub(t.begun), t.flushed))
	}
	if p.Open == nil {
		p.Open = make(map[string]Progress)
	}
	p.Open[t.name] = t.progress(at, c.Config.Timeout, last.Done)
	p.Covers(t.wall, c.wallOf(t.begun.Add(at)))
	p.dirty = true
}

// write adds the lines of an interval that ends at an offset of the turn.
func (c *canary) write(t *turn, p *page, to time.Duration) {
	start := max(t.wall.Sub(p.Period.Start()), 0)
	for i, h := range t.fresh {
		if h.Count() == 0 {
			continue
		}
		c.lost = errors.Join(c.lost, p.log.Write(Tags[i], start+t.flushed, start+to, h))
		p.extend(Tags[i], Extreme{int64(h.Min()), int64(h.Max()), h.Clamped()})
	}
	c.lost = errors.Join(c.lost, c.sum.Histograms.Merge(t.fresh))
	t.fresh.Reset()
	t.flushed = to
}

// flush writes all that is known at a moment.
func (c *canary) flush(now time.Time) {
	if c.cur == nil && c.kind != undecided {
		c.account(now)
	}
	for _, t := range c.alive {
		if !t.begun.IsZero() {
			c.take(t, now, false)
		}
	}
	c.lost = c.save()
	if hour := HourOf(c.wallOf(now)); c.lost == nil && hour != c.hour {
		if c.lost = c.roll(now); c.lost == nil {
			c.hour = hour
		}
	}
	c.show(now)
}

// save writes the books that changed, the earliest first, until one cannot be written: a process that is killed meanwhile
// leaves no time without an account before the last moment that has one, from which the next goes on. The others are written with
// the next flush.
func (c *canary) save() (err error) {
	for _, p := range slices.SortedFunc(maps.Values(c.pages), func(a, b *page) int { return a.Period.Start().Compare(b.Period.Start()) }) {
		if !p.dirty {
			continue
		}
		if err = c.folder.append(p.Book, p.lines.Bytes()); err != nil {
			break
		}
		p.lines.Reset()
		p.dirty = false
	}
	if err != nil && c.lost == nil {
		c.Say(fmt.Sprintf("%v: it is tried again every %v", err, c.Flush))
	}
	return err
}

// roll closes the periods that are over. A turn that drains keeps its hour open.
func (c *canary) roll(now time.Time) error {
	wall := c.wallOf(now)
	for p, page := range c.pages {
		if len(page.Open) == 0 && !page.dirty && !p.End().After(wall) {
			delete(c.pages, p)
		}
	}
	return c.folder.roll(wall, func(p Period) bool { return c.pages[p] != nil })
}

// show passes on a snapshot.
func (c *canary) show(now time.Time) {
	s := c.sum
	s.Unwritten = c.lost
	for name, t := range c.alive {
		if t.begun.IsZero() {
			continue
		}
		p := c.page(t.period).Open[name]
		s.Ledger.Add(p.Ledger())
		s.Acks.Add(p.Acks())
	}
	if t := c.cur; t != nil {
		s.Up = now.Sub(t.begun)-time.Duration(t.rec.last.Load()) <= c.patience() || t.rec.last.Load() == 0
	}
	c.Show(s)
}

// wrote notes why a file could not be written.
func (c *canary) wrote(err error) { c.lost = errors.Join(c.lost, err) }

// forget forgets runs that have left nothing.
func (c *canary) forget(names ...string) {
	c.folder.Runs = slices.DeleteFunc(c.folder.Runs, func(name string) bool { return slices.Contains(names, name) })
	c.wrote(c.folder.save())
}

// sweep removes what turns have left that are over, in a goroutine.
func (c *canary) sweep(ctx context.Context) {
	var over []string
	for _, name := range c.folder.Runs {
		if c.alive[name] == nil {
			over = append(over, name)
		}
	}
	if c.sweeping || len(over) == 0 {
		return
	}
	c.sweeping = true
	go func() {
		var gone []string
		for _, name := range over {
			if c.Clean == nil {
				gone = append(gone, name)
				continue
			}
			limited, cancel := context.WithTimeout(ctx, cleaning)
			if is, err := c.Clean(limited, name); is && err == nil {
				gone = append(gone, name)
			}
			cancel()
		}
		c.swept <- gone
	}()
}

// end ends all turns, and writes the last of it.
func (c *canary) end(cancel context.CancelFunc) error {
	now := time.Now()
	for _, t := range c.alive {
		t.cancel()
	}
	if c.kind == undecided {
		c.kind = gap
	}
	if c.cur == nil && c.cause != "" {
		c.account(now)
	}
	c.settle()
	cancel()
	if c.lost = c.save(); c.lost == nil {
		c.folder.Stopped = c.wallOf(now)
		c.lost = c.folder.save()
	}
	c.show(now)
	return c.lost
}

// settle waits for turns that were cancelled; those that do not end in time are closed.
func (c *canary) settle() {
	limit, giveUp := time.After(farewell), c.GiveUp
	given := false
	stop := func() {
		if giveUp = nil; !given {
			given = true
			close(c.giveUp)
			limit = time.After(time.Second)
		}
	}
	for len(c.alive) > 0 {
		select {
		case e := <-c.events:
			if t := e.turn; !e.begun.IsZero() || t.begun.IsZero() { // it was to be the next
				if e.begun.IsZero() {
					delete(c.alive, t.name)
					c.left(t, e.outcome)
				}
				continue
			}
			c.finish(e.turn, e)
		case <-giveUp:
			stop()
		case <-limit:
			if given {
				c.abandon()
				return
			}
			stop()
		}
	}
}

// abandon closes turns that have not ended.
func (c *canary) abandon() {
	for _, t := range c.alive {
		if delete(c.alive, t.name); !t.begun.IsZero() {
			c.finish(t, event{turn: t, err: errors.New("it did not end in time"), outcome: load.Outcome{Left: []string{t.name}}})
		}
	}
}

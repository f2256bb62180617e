package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A Pauser stops a broker's process and lets it go on.
type Pauser interface {
	Pause() error
	Continue() error
}

// A Pause says when a broker stands still.
type Pause struct {
	At  time.Duration // from the first message, warm-up included
	For time.Duration
}

// Live measures a cell on a live broker while p pauses it, and compares the tail
// with the prediction: a message that is due during the pause is done when the
// broker goes on. The process is always continued, also when ctx ends. The
// broker's own share is taken from the median of the same run. How it works off its
// backlog is not predicted, so only the percentiles from p99 on, the maximum and
// the counts are judged, to 2 %.
//
// Live sets o.Started itself.
func Live(ctx context.Context, f requester.Factory, cell plan.Cell, p Pauser, when Pause, o measure.Options) (Check, error) {
	w := &pausing{pauser: p, when: when}
	stop := make(chan struct{})
	var ended sync.WaitGroup
	o.Started = func(start time.Time) { ended.Go(func() { w.run(start, stop) }) }
	c, err := measure.Cell(ctx, f, cell, o)
	close(stop)
	ended.Wait()
	if err := errors.Join(err, w.err); err != nil {
		return Check{}, fmt.Errorf("%s: %w", cell.Target.Name, err)
	}
	if c.Interrupted {
		return Check{}, context.Cause(ctx)
	}
	return live(cell, c, w), nil
}

// pausing is a pause and when it really was.
type pausing struct {
	pauser   Pauser
	when     Pause
	from, to time.Duration // when the process stopped, and when it was continued
	err      error
}

// run waits, stops the process, waits, and continues it. It continues at once if
// stop is closed.
func (w *pausing) run(start time.Time, stop <-chan struct{}) {
	if !wait(start.Add(w.when.At), stop) {
		return
	}
	w.err = w.pauser.Pause()
	w.from = time.Since(start)
	wait(start.Add(w.when.At+w.when.For), stop)
	w.err = errors.Join(w.err, w.pauser.Continue())
	w.to = time.Since(start)
}

func wait(until time.Time, stop <-chan struct{}) bool {
	select {
	case <-time.After(time.Until(until)):
		return true
	case <-stop:
		return false
	}
}

// live compares a cell with what its pause predicts.
func live(cell plan.Cell, c *results.Cell, w *pausing) Check {
	median, _ := c.Response.At(50)
	base, _ := median.Value()
	var p prediction
	for due := range cell.Schedule().Offsets(schedule.Share{}) {
		if due < cell.Settings.Warmup {
			continue
		}
		p.Due++
		done := due + base
		if done > w.from && due < w.to {
			done = max(done, w.to+base)
		}
		p.add(done - due)
	}
	slices.Sort(p.Response)
	rows := compare(p, c, limits{relativeLive, base, ordinaryHiccup(c), longestHiccup(c)})
	for i, r := range rows {
		rows[i].Checked = r.Unit == "ops" || slices.Contains([]string{"p99", "p99.9", "p99.99", "max"}, r.Name)
	}
	check := Check{
		Scenario: fmt.Sprintf("%s paused for %v after %v", cell.Target.Name, (w.to - w.from).Round(time.Millisecond), w.from.Round(time.Millisecond)),
		Mode:     Scenario{Cell: cell}.Mode(), BaseNS: int64(base), HiccupNS: int64(longestHiccup(c)), Cell: c,
	}
	check.judge(rows)
	return check
}

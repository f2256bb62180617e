package verify

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// A Pauser stops a broker's process and lets it go on.
type Pauser interface {
	Pause() error
	Continue() error
}

// Live measures a cell on a live broker while p pauses it, and compares what the
// client reports with what went in and out of it, message by message: a message
// that is sent during the pause is done when the broker goes on. The process is
// always continued, also when ctx ends. The prediction is shown beside it;
// the broker's own share in that is the median of the same run.
//
// Live sets o.Started, o.Folder and o.Record itself.
func Live(ctx context.Context, f requester.Factory, cell plan.Cell, p Pauser, when loopback.Freeze, o measure.Options) (Check, error) {
	pause := &pausing{pauser: p, when: when}
	stop := make(chan struct{})
	var ended sync.WaitGroup
	o.Started = func(start time.Time) { ended.Go(func() { pause.run(start, stop) }) }
	w := newWitnesses(f, Scenario{Cell: cell})
	c, reported, err := w.measure(ctx, o)
	close(stop)
	ended.Wait()
	if err := errors.Join(err, pause.err); err != nil {
		return Check{}, fmt.Errorf("%s: %w", cell.Target.Name, err)
	}
	return pause.check(w.run(c, reported, loopback.Record{})), nil
}

// pausing is a pause and when it really was.
type pausing struct {
	pauser   Pauser
	when     loopback.Freeze
	from, to time.Duration // the process had been stopped, and was about to be continued
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
	w.to = time.Since(start)
	w.err = errors.Join(w.err, w.pauser.Continue())
}

func wait(until time.Time, stop <-chan struct{}) bool {
	select {
	case <-time.After(time.Until(until)):
		return true
	case <-stop:
		return false
	}
}

// settles is how long after the signal a process may still finish a system call.
const settles = 100 * time.Millisecond

func (w *pausing) check(r *run) Check {
	inPause := int64(0) // messages that were under way
	waited := r.every("waited for its end", func(m *message) string {
		if m.asked >= w.to || m.asked < w.from+settles && m.handed < w.to {
			return ""
		}
		if inPause++; m.handed == 0 || m.handed >= w.to {
			return ""
		}
		return fmt.Sprintf("sent %v into the pause, it had its reply %v before the end: is that the broker's process?", m.asked-w.from, w.to-m.handed)
	})
	doubt := ""
	if inPause == 0 {
		doubt = "no message was under way while the broker was paused"
	}
	name := fmt.Sprintf("%s paused for %v after %v", r.cell.Target.Name, (w.to - w.from).Round(time.Millisecond), w.from.Round(time.Millisecond))
	return r.check(name, w.ideal(r), doubt, waited)
}

// ideal is what arithmetic makes of the pause.
func (w *pausing) ideal(r *run) prediction {
	median, _ := r.result.Response.At(50)
	base, _ := median.Value()
	var responses, ends []time.Duration
	for i := range r.window() {
		due := r.window()[i].due
		start := due
		if limit := r.cell.Shape.InFlight; limit > 0 && i >= limit {
			start = max(due, ends[i-limit])
		}
		done := start + base
		if done > w.from && start < w.to {
			done = max(done, w.to+base)
		}
		responses, ends = append(responses, done-due), append(ends, done)
	}
	return newPrediction(responses, len(responses))
}

package backlog

import (
	"context"
	"errors"
	"fmt"
	mathbits "math/bits"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/setup"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// The series of times. Those of a phase are of the messages that are due in it.
const (
	age     = iota // of messages of the backlog, at their delivery to group 0
	ack            // of the messages of each phase
	lagging = ack + phases
	others  = lagging + phases

	allSeries = others + phases
)

// The phases of the schedule: before the members of group 0 return, until they have the last message of the backlog
// that comes, and after that.
const (
	before = iota
	during
	after
	phases
)

// recordLive records a live message in its phase. It counts as due after the drain until another message of the
// backlog comes.
func (b *Backlog) recordLive(series int, due, value time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case due < b.cfg.Warmup:
		series += before
	case due < b.reached:
		series += during
	default:
		series += after
	}
	b.record(series, value)
}

// draining notes that the drain lasts until an offset: what was recorded until now is due before its end.
func (b *Backlog) draining(until time.Duration) {
	b.reached = until
	for _, series := range []int{ack, lagging, others} {
		b.times.Move(series+after, series+during)
	}
}

func (b *Backlog) record(series int, value time.Duration) {
	b.times.Record(requester.Member{Group: series}, value)
}

// RecordAck implements load.AckRecorder. It does nothing on nil.
func (b *Backlog) RecordAck(a load.Ack) {
	if b != nil {
		b.recordLive(ack, a.Due, a.Wait())
	}
}

// RecordDelivery implements load.DeliveryRecorder. It does nothing on nil.
func (b *Backlog) RecordDelivery(d load.Delivery) {
	switch {
	case b == nil:
	case d.Group == 0:
		b.recordLive(lagging, d.Due, d.Response())
	default:
		b.recordLive(others, d.Due, d.Response())
	}
}

// Started is called when the schedule begins. The members of group 0 return at the end of its warm-up.
func (b *Backlog) Started(start time.Time) {
	b.mu.Lock()
	b.start, b.bound = start, b.settings.Warmup+b.settings.Duration
	b.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	b.returning.Go(func() {
		if b.sleep(ctx, b.settings.Warmup) {
			b.back.Store(int64(time.Since(b.start)))
			b.notBack = b.comeBack(ctx)
			b.sleep(ctx, b.bound)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.bound = min(b.bound, time.Since(b.start))
		b.left, b.last = b.Left(), b.latest
	})
}

// sleep waits until an offset of the schedule, and reports whether ctx has not ended before.
func (b *Backlog) sleep(ctx context.Context, until time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(b.start.Add(until))):
		return true
	}
}

// comeBack makes the members of group 0 again, and sets them up.
func (b *Backlog) comeBack(ctx context.Context) error {
	for _, m := range b.lagging {
		made, err := b.Grouper.NewConsumer(m.at, m.sink)
		if err != nil {
			return fmt.Errorf("making member %d of group 0 again: %w", m.at.Number, err)
		}
		m.Consumer, m.away = made, false
	}
	return setup.All(ctx, len(b.lagging), func(i int) requester.Consumer { return b.lagging[i].Consumer }, func(done <-chan struct{}, limit time.Duration) bool {
		select {
		case <-done:
			return true
		case <-time.After(limit):
			return false
		}
	})
}

// endReturn ends the return of the members, and waits until it has ended.
func (b *Backlog) endReturn() {
	if b.stop != nil {
		b.stop()
	}
	b.returning.Wait()
}

// Settle waits until every group has the backlog, no further message comes, the timeout of the cell has passed, or ctx
// ends. It is called when the schedule is over and nothing is torn down.
func (b *Backlog) Settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, b.settings.Timeout)
	defer cancel()
	if b.back.Load() > 0 && ctx.Err() == nil {
		b.o.Filling, b.unbounded = nil, true
		b.await(ctx, func() (n int64, over bool) {
			for i := range b.groups {
				n += b.groups[i].delivered.Load()
			}
			return n, n == b.messages*int64(len(b.groups))
		})
	}
	b.endReturn()
}

// Result returns what became of the backlog. It is called after Settle.
func (b *Backlog) Result(out load.Outcome) *results.Backlog {
	r := &results.Backlog{
		Messages: b.messages, Stored: b.acked.Load(), FillNS: int64(b.fillTook), Interrupted: b.interrupted,
		Phases: []results.BacklogPhase{}, Cold: b.o.Cold != nil && b.cold == "", NotCold: b.cold, WithinNS: int64(max(b.bound-time.Duration(b.back.Load()), 0)),
	}
	for i := range b.groups {
		r.Groups = append(r.Groups, b.groups[i].result(i, b.stored))
	}
	r.Left = b.left
	switch back := time.Duration(b.back.Load()); {
	case back == 0:
		r.WithinNS, r.Left = 0, r.Groups[0].Missing
	case b.last >= back:
		took := max(b.last-back, 1)
		r.LastNS, r.PerS = new(int64(took)), float64(b.messages-b.left)/took.Seconds()
		if b.left == 0 {
			r.DrainNS = r.LastNS
		}
	}
	if b.notBack != nil && !errors.Is(b.notBack, context.Canceled) {
		r.Error = b.notBack.Error()
	}
	b.describeTimes(r, out)
	return r
}

// describeTimes writes the times of each phase into a result. What is missing in a phase ranks above all its values.
func (b *Backlog) describeTimes(r *results.Backlog, out load.Outcome) {
	r.Age = b.timesOf(age, r.Groups[0].Owed)
	dues, end := record.NewDues(b.cfg), out.DueTill+1 // what is due at DueTill counts
	warm := min(b.cfg.Warmup, end)
	if b.reached == 0 { // nothing came
		b.draining(end)
	}
	drained := max(min(b.reached, end), warm)
	var owed [phases]int64
	owed[before] = dues.Until(warm)
	owed[during] = dues.Until(drained) - owed[before]
	owed[after] = dues.Until(end) - owed[during] - owed[before]
	for phase, name := range []string{before: "before", during: "during", after: "after"} {
		p := results.BacklogPhase{Phase: name, Due: owed[phase]}
		if p.Due == 0 {
			continue
		}
		p.Ack = b.timesOf(ack+phase, p.Due)
		if phase != before { // what is due before waits for the return
			p.Lagging = new(b.timesOf(lagging+phase, p.Due))
		}
		if neighbours := int64(len(b.groups) - 1); neighbours > 0 {
			p.Others = new(b.timesOf(others+phase, p.Due*neighbours))
		}
		r.Phases = append(r.Phases, p)
	}
}

func (b *Backlog) timesOf(series int, owed int64) results.BacklogTimes {
	h := b.times.Of(series)
	d := results.NewDistribution(h, max(owed-h.Count(), 0))
	value := func(percentile float64) *int64 {
		row, _ := d.At(percentile)
		return row.ValueNS
	}
	return results.BacklogTimes{Count: h.Count(), Missing: d.Missing, P50NS: value(50), P99NS: value(99), P999NS: value(99.9), MaxNS: d.MaxNS}
}

// result returns the ledger of a group, which is owed every message that was stored.
func (g *group) result(number int, stored bits) results.BacklogGroup {
	r := results.BacklogGroup{Number: number, Duplicate: g.duplicate.Load(), Corrupt: g.corrupt.Load(), Behind: g.behind}
	for i := range stored {
		owed, has := stored[i].Load(), g.has[i].Load()
		r.Owed += int64(mathbits.OnesCount64(owed))
		r.Delivered += int64(mathbits.OnesCount64(owed & has))
		r.Unstored += int64(mathbits.OnesCount64(has &^ owed))
	}
	r.Missing = r.Owed - r.Delivered
	return r
}

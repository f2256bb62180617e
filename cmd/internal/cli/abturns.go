package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/compare/ab"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// turns are the measurements of `ab` under way.
type turns struct {
	*measuring // of A; it shows the progress of both
	o          abOptions
	b          run.Runner
	leftByB    planning.Leftovers
	began      time.Time

	first, second *run.Session    // of A and of B
	orders        []func() string // of each cell
	pairs         [][]ab.Pair     // of each cell
}

// newTurns creates the folders of both sides, and begins their runs.
func newTurns(ctx context.Context, s command.Streams, o abOptions) (_ *turns, err error) {
	t := &turns{o: o, began: time.Now()}
	planA, planB := o.a.p, o.b.p
	planA.Name += "-a"
	planB.Name += "-b"
	if t.measuring, err = o.start(ctx, s, planA, newProgress(s, o.progress.mode, nil, o.Format())); err != nil {
		return nil, err
	}
	t.b = t.Runner
	t.b.Left, t.b.ID = t.leftByB.Add, "" // a separate run, also on the same agents
	if t.b.Store, err = results.Create(o.plan.Out, planB.Name, t.began); err == nil {
		t.first, err = t.Start(planA)
	}
	if err == nil {
		t.second, err = t.b.Start(planB)
	}
	if err != nil {
		return nil, t.abandon(ctx, err)
	}
	for i := range planA.Cells() {
		t.orders, t.pairs = append(t.orders, ab.Orders(planA.Settings.Seed, i)), append(t.pairs, nil)
	}
	return t, nil
}

// measure measures pair after pair of every cell. The error of a cell is also that of
// its session.
func (t *turns) measure(ctx context.Context) error {
	t.first.Reach(ctx)
	t.second.Reach(ctx)
	cellsA, cellsB := t.o.a.p.Cells(), t.o.b.p.Cells()
	for n := 1; t.more(n); n++ {
		for i := range cellsA {
			p, err := t.pair(ctx, cellsA[i], cellsB[i], t.orders[i]())
			if err != nil || ctx.Err() != nil {
				return err
			}
			t.pairs[i] = append(t.pairs[i], p)
			t.progress.paired(n, p)
		}
	}
	return nil
}

// more reports whether there is to be an n-th pair.
func (t *turns) more(n int) bool {
	done := n - 1
	if t.o.narrow == nil {
		return done < t.o.pairs
	}
	if done >= t.o.pairs && ab.Narrow(t.pairs, *t.o.narrow) {
		return false
	}
	if done == t.o.pairs {
		t.estimate()
	}
	return time.Since(t.began)+t.o.pairTook() <= t.o.atMost
}

// estimate says how many pairs it will take, by the first ones.
func (t *turns) estimate() {
	text := "more than can be told"
	if n, ok := ab.Needed(t.pairs, *t.o.narrow); ok {
		text = fmt.Sprintf("about %d pairs, %v in all", n, (time.Duration(n) * t.o.pairTook()).Round(time.Second))
	}
	t.progress.say(fmt.Sprintf("±%.3g %% takes %s; at most %v", 100**t.o.narrow, text, t.o.atMost))
}

// pair measures a cell of both sides, in that order.
func (t *turns) pair(ctx context.Context, a, b plan.Cell, order string) (p ab.Pair, err error) {
	p.Order = order
	for _, letter := range order {
		if letter == 'A' {
			p.A, err = t.first.Measure(ctx, a)
		} else {
			p.B, err = t.second.Measure(ctx, b)
		}
		if err != nil || ctx.Err() != nil {
			return p, err
		}
	}
	return p, nil
}

// end stores and prints what the pairs show. The sessions have the errors of cells.
func (t *turns) end(ctx context.Context, measured error) error {
	runA, cellsA, errA := t.first.End(ctx)
	runB, cellsB, errB := t.second.End(ctx)
	err := errors.Join(errA, errB)
	if err == nil && ctx.Err() == nil {
		err = measured
	}
	found := t.found()
	for _, store := range []*results.Store{t.Store, t.b.Store} {
		err = errors.Join(err, safefile.Write(filepath.Join(store.Dir(), command.AbFile), func(w io.Writer) error { return document.WriteJSON(w, found) }))
	}
	if t.measuring.o.report == "on" && !t.s.GaveUp() {
		err = errors.Join(err, analysis.WriteReport(filepath.Join(t.Store.Dir(), analysis.ReportFile), t.Store, t.b.Store))
	}
	t.measuring.o.report = "off" // it is written, with both sides
	t.progress.view.Clear()
	t.leftByB.Say(t.s, runB.ID)
	d := report.AB(found, cellsA, cellsB)
	exchange.OfferSummary(d)
	return t.measuring.end(ctx, runA, d, err, t.o.backed(abCode(found), slices.Concat(cellsA, cellsB)...))
}

// found returns what the complete pairs show.
func (t *turns) found() *ab.Result {
	r := &ab.Result{
		A: ab.Side{Run: t.o.a.redacted(), Dir: t.Store.Dir()}, B: ab.Side{Run: t.o.b.redacted(), Dir: t.b.Store.Dir()},
		Seed: t.o.a.p.Settings.Seed, Until: t.o.narrow, AtMostNS: int64(t.o.atMost), TookNS: int64(time.Since(t.began)),
	}
	var complete [][]ab.Pair
	for _, list := range t.pairs {
		if len(list) > 0 {
			complete = append(complete, list)
		}
	}
	r.Analyse(complete)
	return r
}

// abCode returns the exit code of a result.
func abCode(r *ab.Result) int {
	if r.Judged == 0 || r.Until != nil && !r.Narrow {
		return command.ExitInvalid
	}
	return command.ExitGood
}

// say writes a line.
func (p *progress) say(text string) {
	p.view.Clear()
	if !p.quiet {
		fmt.Fprintln(p.w, text)
	}
}

// warn writes a line for which the run waits.
func (p *progress) warn(text string) {
	p.view.Clear()
	fmt.Fprintln(p.w, brokers.Redact(text))
}

// paired reports a pair.
func (p *progress) paired(n int, pair ab.Pair) {
	var texts []string
	for _, percentile := range pair.A.Plan.Settings.Asked() {
		a, _ := pair.A.Response.At(percentile)
		b, _ := pair.B.Response.At(percentile)
		x, knownA := a.Value()
		y, knownB := b.Value()
		if knownA && knownB && x > 0 {
			texts = append(texts, fmt.Sprintf("p%v ×%.3f", percentile, float64(y)/float64(x)))
		}
	}
	p.say(fmt.Sprintf("[pair %d] %s, %s: B/A %s", n, pair.B.Plan.Title(), pair.Order, strings.Join(texts, ", ")))
}

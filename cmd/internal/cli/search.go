package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/planning"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const searchLong = `Search finds the highest rate at which a target keeps each SLO. It doubles the rate
from --from until the SLO is not kept, then halves the bracket until it is as narrow
as --precision. Then it measures a rate on each side of the limit until both are
decided. All SLOs share the probes: with several, the table shows which rate each
latency allows.

All probes of a rate are judged together. A rate keeps an SLO if the whole 99 %
interval of the share of messages over the limit, in five probes or more, is inside what the SLO allows, and
does not keep it if the whole interval is outside; in between it is measured again.
Pauses that no probe met count, too: an answer must exclude that an --unseen-pause, as rare
as the probes allow, breaks the SLO. So p99<5ms takes two minutes and p99.9 seventeen, besides
the probes that find the way. Search prints that before it begins. If --at-most is too
short, the answer is a wider bracket, with the time that a decision would take.

Sometimes the client cannot manage the rate: a TCP echo in place of the broker does no
better, the cores of brokerbench are used up, or half of the response is the
generator's lag. Then the limit is the client's, not the target's, and the result is a
lower bound.

A probe is a cell: it has the --warmup, --timeout, --floor and --audit of a cell, and
--duration is the least length of its window. Each size and each number of connections
is a search.

After an overload the target rests. If it then does not carry a rate that it carried
before, the probe since is no evidence, and the rest becomes longer.

With --agents several machines measure each probe together, as in run. Then the client
reaches its own limit later.

A plan file names the targets, the shapes and the SLOs; its rates and repeats do not count,
and SLOs that it restricts to a target or a shape are left out. With a plan file the
defaults of --duration, --warmup, --timeout and --audit are those of run.

Search keeps every probe in the folder of results, like a cell of run, with its
findings beside them in search.json.

Exit codes: 0 every rate was found, or --max keeps the SLO; 1 an error; 2 a mistake
in the command line or environment; 3 an SLO is not kept even at --from; 4 not decided
within --at-most, the target stays slow after an overload, the client is the limit, or it is unclear what limits the rate; 130
interrupted, with the probes so far.`

func newSearch(s command.Streams, args []string) *cobra.Command {
	o := searchOptions{measureOptions: measureOptions{args: args}}
	c := &cobra.Command{
		Use:   "search [PLAN] [TARGET...] --slo SLO",
		Short: "Find the highest rate that keeps an SLO",
		Long:  searchLong,
		Example: `  brokerbench search nats://127.0.0.1:4222 --slo 'p99<1ms' --slo 'p99<10ms' --size 1KiB
  brokerbench search redis://127.0.0.1:6379 --slo 'p99.9<5ms,loss<0.001%' --connections 1,25 --format md`,
		ValidArgsFunction: planning.CompleteTargets(s),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if o.targets, err = o.plan.Take(s, args); err != nil {
				return err
			}
			return runSearch(c.Context(), s, o)
		},
	}
	o.define(c.Flags())
	return c
}

// runSearch checks what is asked for, and searches.
func runSearch(ctx context.Context, s command.Streams, o searchOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	cfg, p, err := o.resolve(s)
	if err == nil {
		cells := p.Cells()
		for i := range cells {
			cells[i].SLOs = cfg.Objectives
		}
		err = errors.Join(o.place(p), command.Usage(p.OneSize("search")), command.Usage(o.plan.Targets.CheckAcks(cells...)))
	}
	if err != nil {
		return err
	}
	if o.dryRun {
		return o.Show(s, planning.Planned(p, false, child.NoStore))
	}
	return searchPlan(ctx, s, o, cfg, p)
}

// searchPlan searches and prints. Its error carries the exit code.
func searchPlan(ctx context.Context, s command.Streams, o searchOptions, cfg search.Config, p plan.Plan) error {
	m, err := o.start(ctx, s, p, newProgress(s, o.progress.mode, nil, o.Format()))
	if err != nil {
		return err
	}
	m.progress.announce(cfg, len(p.Cells()))
	session, err := m.Start(p)
	if err != nil {
		return m.abandon(ctx, err)
	}
	session.Reach(ctx)
	list := searchAll(ctx, session, cfg, p, m.progress)
	described, cells, err := session.End(ctx)
	found := search.NewDocument(cfg, list)
	return m.end(ctx, described, report.Search(described, cells, found, o.details), errors.Join(err, writeSearch(m.Store, found)), o.backed(searched(list), cells...))
}

// writeSearch writes the findings into the folder of the run.
func writeSearch(store *results.Store, found search.Document) error {
	return safefile.Write(filepath.Join(store.Dir(), search.File), func(w io.Writer) error { return document.WriteJSON(w, found) })
}

// searchAll searches on every target with every shape. If one fails, the others are
// still searched, and session.End returns the error.
func searchAll(ctx context.Context, session *run.Session, cfg search.Config, p plan.Plan, shown *progress) (found []search.Result) {
	for _, cell := range p.Cells() {
		if ctx.Err() != nil {
			break
		}
		prober := search.Prober{Session: session, Cell: cell, Ended: func(p search.Probe) { shown.probed(cfg.Objectives, p) }}
		r, err := prober.Run(ctx, cfg)
		if err != nil {
			shown.view.Clear()
		}
		found = append(found, r)
	}
	return found
}

// searched returns the exit code of searches.
func searched(found []search.Result) int {
	switch search.Worst(found) {
	case search.NotKept:
		return command.ExitMissed
	case search.ByClient, search.NotKnown, search.Opposed, search.Hysteresis, search.NotDecided, search.Unfinished:
		return command.ExitInvalid
	case search.Found, search.AtMax:
	}
	return command.ExitGood
}

package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

const reproduceLong = `Reproduce runs the plans of a published study on this machine, and judges each of its
claims: reproduced, contradicted, or not decided.

BUNDLE is a folder with claims.yaml, the plans, and the folders of the published
runs. A claim that the published runs do not support is an error. --with judges runs that
exist, and measures nothing.

All claims are judged together: the chance that any is reproduced or contradicted by
mistake is at most 5 %. A difference needs repeats; --repeat replaces how many the plan
asks for. Without --out, results go where those of run go.

Exit codes: 0 all claims are reproduced; 1 a folder cannot be read; 2 a mistake in the
command line or the bundle; 4 a claim is not decided; 5 a claim is contradicted;
130 interrupted: the claims are judged by the measured part.`

// reproduceOptions are the flags and arguments of `reproduce`.
type reproduceOptions struct {
	command.Printing
	bundle string
	ids    []string
	with   []string
	quick  bool
	repeat string // as run takes it; "" is as in the plans
	out    string
	run    Runner
}

// A Runner runs the command `run` with arguments, and says which targets failed.
type Runner func(ctx context.Context, s command.Streams, args []string) error

// NewReproduce returns the command `reproduce`, which measures with run.
func NewReproduce(s command.Streams, run Runner) *cobra.Command {
	o := reproduceOptions{run: run}
	c := &cobra.Command{
		Use:   "reproduce BUNDLE",
		Short: "Check the claims of a published study on this machine",
		Long:  reproduceLong,
		Example: `  brokerbench reproduce results/published/2026-12-01-lab
  brokerbench reproduce results/published/2026-12-01-lab --claims 1,4 --repeat 8
  brokerbench reproduce results/published/2026-12-01-lab --with brokerbench-results/latest`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, dirs []string) error {
			o.bundle = dirs[0]
			return runReproduce(c.Context(), s, o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.ids, "claims", nil, "the IDs of the claims to check (default all)")
	f.StringSliceVar(&o.with, "with", nil, "judge the runs in these folders, and measure nothing")
	f.BoolVar(&o.quick, "quick", false, "measure 5 s of each cell, in 3 repeats, which decide one ratio at most, unless --repeat says how many")
	f.StringVar(&o.repeat, "repeat", "", "how often to measure each cell, the targets in random order")
	f.StringVar(&o.out, "out", "", "folder in which each run makes a new folder for its results")
	o.Define(f)
	return c
}

func runReproduce(ctx context.Context, s command.Streams, o reproduceOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	list, err := claims.Read(o.bundle)
	if err == nil {
		list, err = claims.Select(list, o.ids)
	}
	if err != nil {
		return command.Usage(err)
	}
	published, err := o.published(list)
	if err != nil {
		return command.Usage(err)
	}
	here, err := o.here(ctx, s, list)
	if here == nil {
		return err
	}
	r := &comparison.Reproduction{Schema: comparison.ReproductionSchema, Bundle: o.bundle, Confidence: stats.Confidence}
	r.Claims = claims.Judge(list, here.of)
	return errors.Join(o.Show(s, comparison.Claims(r, differences(s, published, here))), verdictOf(r.Claims, err))
}

// verdictOf returns the exit code of claims as an error, after a run that ended with err.
func verdictOf(list []claims.Judged, err error) error {
	has := func(o claims.Outcome) bool {
		return slices.ContainsFunc(list, func(j claims.Judged) bool { return j.Outcome == o })
	}
	switch {
	case command.ExitCode(err) == command.ExitInterrupted:
		return err
	case has(claims.Contradicted):
		return command.Fail(command.ExitRegression, nil)
	case has(claims.NotDecided):
		return command.Fail(command.ExitInvalid, nil)
	}
	return nil
}

// setsByPlan are sets of results by the name of a plan; "" holds those for every plan.
type setsByPlan map[string][]*compare.Set

// of returns the trials for a claim.
func (m setsByPlan) of(c claims.Claim) (trials []compare.Trial) {
	for _, set := range slices.Concat(m[c.Plan], m[""]) {
		trials = append(trials, set.Trials...)
	}
	return trials
}

// published reads the evidence of claims, and checks that it supports them. It returns the runs by their folders.
func (o reproduceOptions) published(list []claims.Claim) (sets map[string]*compare.Set, err error) {
	sets = make(map[string]*compare.Set)
	var errs []error
	for _, c := range list {
		if _, err := os.Stat(filepath.Join(o.bundle, c.Plan)); err != nil && len(o.with) == 0 {
			errs = append(errs, fmt.Errorf("claim %s: its plan is missing: %w", c.ID, err))
		}
		for _, dir := range c.Evidence {
			if sets[dir] != nil {
				continue
			}
			set, err := compare.OpenCells(filepath.Join(o.bundle, dir))
			if errs = append(errs, err); err == nil {
				sets[dir] = set
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := namedOnce(list, sets); err != nil {
		return nil, err
	}
	return sets, claims.Supported(list, func(c claims.Claim) (trials []compare.Trial) {
		for _, dir := range c.Evidence {
			trials = append(trials, sets[dir].Trials...)
		}
		return trials
	})
}

// namedOnce returns an error for a claim whose evidence holds a run twice.
func namedOnce(list []claims.Claim, sets map[string]*compare.Set) error {
	for _, c := range list {
		var counted []*compare.Set
		for _, dir := range c.Evidence {
			if holds(counted, sets[dir]) {
				return fmt.Errorf("claim %s: %s is named twice: it would count as a repeat of itself", c.ID, dir)
			}
			counted = append(counted, sets[dir])
		}
	}
	return nil
}

// holds reports whether a run, or a copy of it, is among sets. A run without an ID is known by its
// folder only.
func holds(sets []*compare.Set, run *compare.Set) bool {
	return slices.ContainsFunc(sets, func(s *compare.Set) bool {
		return filepath.Clean(s.Dir) == filepath.Clean(run.Dir) || run.Run.ID != "" && s.Run.ID == run.Run.ID
	})
}

// here returns the results of this machine: those of --with, or new ones. An interruption keeps what
// was measured, and is the error beside it.
func (o reproduceOptions) here(ctx context.Context, s command.Streams, list []claims.Claim) (setsByPlan, error) {
	m := make(setsByPlan)
	for _, dir := range results.WithoutLatest(o.with) {
		set, err := compare.OpenCells(dir)
		if err != nil {
			return nil, command.HoldsRuns(dir, err)
		}
		if !holds(m[""], set) {
			m[""] = append(m[""], set)
		}
	}
	if len(o.with) > 0 {
		return m, nil
	}
	for _, c := range list {
		if _, done := m[c.Plan]; done {
			continue
		}
		set, err := o.measure(ctx, s, filepath.Join(o.bundle, c.Plan))
		m[c.Plan] = nil
		if set != nil {
			m[c.Plan] = []*compare.Set{set}
		}
		switch command.ExitCode(err) {
		case command.ExitInterrupted:
			return m, err
		case command.ExitUsage:
			return nil, err
		} // after other errors the claims about the other targets can be judged
	}
	return m, nil
}

// measure runs a plan. The set is nil if nothing was measured.
func (o reproduceOptions) measure(ctx context.Context, s command.Streams, file string) (set *compare.Set, err error) {
	out := o.out
	if out == "" {
		if out, err = s.OutFolder(); err != nil {
			return nil, err
		}
	}
	args := []string{"--file", file, "--out", out}
	if o.quick {
		args = append(args, "--duration", "5s", "--repeat", "3")
	}
	if o.repeat != "" {
		args = append(args, "--repeat", o.repeat)
	}
	began, quiet := time.Now(), s
	quiet.Out = io.Discard
	err = o.run(ctx, quiet, args)
	last, latestErr := results.Latest(out)
	if latestErr != nil {
		return nil, err
	}
	set, openErr := compare.OpenCells(last.Dir())
	if openErr != nil || set.Run.Started.Before(began.Add(-time.Second)) {
		return nil, errors.Join(err, openErr)
	}
	fmt.Fprintln(s.Err, "measured:", set.Dir)
	return set, err
}

// differences lists how the machine, the brokers and the settings differ from the published ones.
func differences(s command.Streams, published map[string]*compare.Set, here setsByPlan) (list []compare.Difference) {
	for _, set := range published {
		for _, mine := range here {
			for _, next := range mine {
				for _, d := range compare.Differences(set, next, s.Decisive()) {
					if !slices.Contains(list, d) {
						list = append(list, d)
					}
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b compare.Difference) int { return cmp.Compare(a.String(), b.String()) })
	return list
}

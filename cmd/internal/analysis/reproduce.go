package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/stats"
)

const reproduceLong = `Reproduce runs the plans of a published study on this machine, and judges each of its
claims: reproduced, contradicted, or not decided.

BUNDLE is a folder with claims.yaml, the plans, and the folders of the published
runs. A claim that the published runs do not support is an error, and so is a file that
differs from its checksum in SHA256SUMS. All plans are checked before the first is measured.
--with judges runs of these plans that exist, and measures nothing.

All claims are judged together: the chance that any about repeats is reproduced or
contradicted by mistake is at most 5 %. A difference needs repeats; --repeat replaces how
many the plan asks for. A claim about a highest rate takes searches, as many and with the
same flags as the published ones. Fewer than an interval takes decide by a factor of 1.5,
and that chance is then unknown. Without --out, results go where those of run go.

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

// A Runner runs the command `run` or `search` with arguments, and says which targets failed.
type Runner func(ctx context.Context, s command.Streams, name string, args []string) error

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
	f.BoolVar(&o.quick, "quick", false, "measure at most 5 s of each cell, in 3 repeats, which decide one ratio at most, unless --repeat says how many; search once")
	f.StringVar(&o.repeat, "repeat", "", "how often to measure each cell, the targets in random order")
	f.StringVar(&o.out, "out", "", "folder in which each run makes a new folder for its results")
	o.Define(f)
	return c
}

func runReproduce(ctx context.Context, s command.Streams, o reproduceOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	b, err := openBundle(o.bundle, o.ids)
	if err != nil {
		return command.Usage(err)
	}
	here, err := o.here(ctx, s, b)
	if here == nil {
		return err
	}
	r := &comparison.Reproduction{Schema: comparison.ReproductionSchema, Bundle: o.bundle, Checksum: claims.Sum(o.bundle), Confidence: stats.Confidence}
	r.Claims = claims.Judge(b.claims, here.of)
	return errors.Join(o.Show(s, comparison.Claims(r, differences(s, b, here))), verdictOf(r.Claims, err))
}

// check reads the flags.
func (o *reproduceOptions) check() error {
	if n, err := strconv.Atoi(o.repeat); o.repeat != "" && (err != nil || n < 1) {
		return command.Usage(fmt.Errorf("--repeat %s: want a number from 1", o.repeat))
	}
	return o.Check()
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

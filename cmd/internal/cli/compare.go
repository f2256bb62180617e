package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results/compare"
)

const compareLong = `Compare says for each percentile whether NEW is faster or slower than BASE, or that
no difference is shown. It gives the ratio of the response times and the ratio's
confidence interval.

A side is the folder of a run. DIR@TARGET is one target of it, and DIR,DIR,... are
runs that repeat each other. With several NEW, each is compared with BASE.

Cells are paired by what was measured: target, rate, size, connections, messages in
flight and arrivals. If each side has one target of the same product, the targets'
names do not matter; --by shape pairs targets of different products. Compare refuses
cells that differ in what was measured, or in settings that decide whether a message
survives a failure (acks, copies, confirms, durable queues), unless you add --force.
It lists other differences in settings and environment.

Intervals come from the spread between the repeats of a run (--repeat 5). Those of a
single run come from the spread within it: they show that the two runs differ, not
that the systems do. If nothing changed, the chance that any percentile of a
comparison is called faster or slower is 5 %.

--fail-on p99>10% fails if p99 is shown to be slower, and by more than 10 %: the
ratio is above 1.1, and its interval above 1. You can give it several times. Use max
only with three runs or more on each side.

Exit codes: 0 good; 1 a folder cannot be read, or the two sides are not equal; 2 a
mistake in the command line; 4 a condition of --fail-on could not be judged, because
a cell is INVALID or missing in NEW; 5 a condition of --fail-on is met.`

// compareOptions are the flags and arguments of `compare`.
type compareOptions struct {
	base   string
	next   []string
	failOn []string
	format document.Format
	compare.Options
}

func newCompare(s Streams) *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare BASE NEW... | RUN",
		Short: "Say what became faster or slower between runs, and how sure that is",
		Long:  strings.Replace(compareLong, "\nExit codes:", rankLong+"\nExit codes:", 1),
		Example: `  brokerbench compare brokerbench-results/20261121-060000-before brokerbench-results/20261122-060000-after
  brokerbench compare before/ after/ --fail-on 'p99>10%' --fail-on 'p99.9>25%' -o md > comment.md
  brokerbench compare monday/,tuesday/ wednesday/,thursday/
  brokerbench compare run/@nats run/@redis --by shape
  brokerbench compare run/`,
		Args: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				return errors.New("want BASE NEW..., the folders of two runs or more, or one RUN to rank its targets")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, dirs []string) error {
			if o.base, o.next = dirs[0], dirs[1:]; len(o.next) == 0 {
				return runRank(s, o)
			}
			return runCompare(s, o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.failOn, "fail-on", nil, "what counts as a regression, such as p99>10%: it makes the exit code 5")
	defineChoice(f, &o.By, "by", "",
		"what else cells are paired by besides their shape (shape: nothing): ", []compare.By{compare.ByTarget, compare.ByShape})
	f.BoolVar(&o.Force, "force", false, "compare even if the two sides are not equal")
	defineFormat(f, &o.format)
	return c
}

func runCompare(s Streams, o compareOptions) error {
	var errs []error
	for _, text := range o.failOn {
		condition, err := compare.ParseCondition(text)
		errs = append(errs, err)
		o.FailOn = append(o.FailOn, condition)
	}
	if err := errors.Join(errs...); err != nil {
		return usage(err)
	}
	base, err := openSide(o.base)
	if err != nil {
		return err
	}
	var list []*compare.Comparison
	for _, name := range o.next {
		next, err := openSide(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c, err := compare.Compare(base, next, o.Options)
		errs, list = append(errs, err), append(list, c)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := s.show(report.Compare(list), o.format); err != nil {
		return err
	}
	return regressions(list)
}

// openSide reads DIR, DIR@TARGET, or several of them with commas between. A folder
// whose own name contains these signs is read as it is.
func openSide(name string) (*compare.Set, error) {
	if _, err := os.Stat(name); err == nil || !strings.ContainsAny(name, ",@") {
		return compare.Open(name)
	}
	var sets []*compare.Set
	for part := range strings.SplitSeq(name, ",") {
		set, err := openTarget(part)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return compare.Join(sets...)
}

func openTarget(name string) (*compare.Set, error) {
	at := strings.LastIndexByte(name, '@')
	if _, err := os.Stat(name); err == nil || at < 0 {
		return compare.Open(name)
	}
	set, err := compare.Open(name[:at])
	if err != nil {
		return nil, err
	}
	return set.Only(name[at+1:])
}

// regressions returns the outcome of --fail-on as an error. A condition that is met
// decides the exit code before one that could not be judged.
func regressions(list []*compare.Comparison) error {
	var met, unknown []error
	for _, c := range list {
		for _, o := range c.FailOn {
			if len(o.Failed) > 0 {
				met = append(met, fmt.Errorf("%s: %s is met: %s", c.New.Dir, o.Condition, strings.Join(o.Failed, ", ")))
			}
			if len(o.Inconclusive) > 0 {
				unknown = append(unknown, fmt.Errorf("%s: %s cannot be judged: %s", c.New.Dir, o.Condition, strings.Join(o.Inconclusive, ", ")))
			}
		}
	}
	switch {
	case len(met) > 0:
		return failure{exitRegression, errors.Join(append(met, unknown...)...)}
	case len(unknown) > 0:
		return failure{exitInvalid, errors.Join(unknown...)}
	}
	return nil
}

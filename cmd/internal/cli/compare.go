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

const compareLong = `Compare says of each percentile whether NEW is faster or slower than BASE, or that
no difference is shown, with the ratio of the response times and its interval.

A side is the folder of a run; DIR@TARGET is one target of it, and DIR,DIR,... are
runs that are repeats of each other. Several NEW are compared with BASE one by one.

Cells are paired by what was measured: target, rate, size, connections, messages in
flight and arrivals. With one target a side, of the same product, names do not
matter; --by shape pairs targets of different products. What is not equal, or in
the settings that decide whether a message survives a failure (acks, copies,
confirms, durable queues), is refused, unless --force is given. Other settings and
environments that differ are listed.

Intervals come from how the repeats of a run differ (--repeat 5); of a single run
they come from how it differs within itself, which says that the two runs differ,
not that what was measured does. All percentiles of a comparison together say
faster or slower with 5 % probability if nothing changed.

--fail-on p99>10% fails if p99 is shown to be slower, and by more than 10 %: the
ratio is above 1.1, and its interval above 1. It can be repeated; max is fit for it
from three runs a side on.

Exit codes: 0 good; 1 a folder cannot be read, or the two are not equal; 2 a mistake
in the command line; 4 a condition of --fail-on could not be judged, as a cell is
INVALID or not in NEW; 5 a condition of --fail-on is met.`

// compareOptions are what `compare` was told.
type compareOptions struct {
	base   string
	next   []string
	failOn []string
	by     compare.By
	force  bool
	format document.Format
}

func newCompare(s Streams) *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare BASE NEW...",
		Short: "Say what became faster or slower from one run to others, and how sure that is",
		Long:  compareLong,
		Example: `  brokerbench compare brokerbench-results/20261121-060000-before brokerbench-results/20261122-060000-after
  brokerbench compare before/ after/ --fail-on 'p99>10%' --fail-on 'p99.9>25%' -o md > comment.md
  brokerbench compare monday/,tuesday/ wednesday/,thursday/
  brokerbench compare run/@nats run/@redis --by shape`,
		Args: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) < 2 {
				return errors.New("compare: want BASE NEW..., the folders of two runs or more")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, dirs []string) error {
			o.base, o.next = dirs[0], dirs[1:]
			return runCompare(s, o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.failOn, "fail-on", nil, "what is a regression, such as p99>10%: then the exit code is 5")
	defineChoice(f, &o.by, "by", "", "what cells are paired by besides their shape (shape: nothing else): ", []compare.By{compare.ByTarget, compare.ByShape})
	f.BoolVar(&o.force, "force", false, "compare what is not equal, too")
	defineFormat(f, &o.format)
	return c
}

// options returns what the library is to be told.
func (o compareOptions) options() (compare.Options, error) {
	options := compare.Options{By: o.by, Force: o.force}
	var errs []error
	for _, text := range o.failOn {
		condition, err := compare.ParseCondition(text)
		errs = append(errs, err)
		options.FailOn = append(options.FailOn, condition)
	}
	return options, errors.Join(errs...)
}

func runCompare(s Streams, o compareOptions) error {
	options, err := o.options()
	if err != nil {
		return usage(err)
	}
	base, err := openSide(o.base)
	if err != nil {
		return err
	}
	var list []*compare.Comparison
	var errs []error
	for _, name := range o.next {
		next, err := openSide(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c, err := compare.Compare(base, next, options)
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
// whose own name has these signs is taken as it is.
func openSide(name string) (*compare.Set, error) {
	if _, err := os.Stat(name); err == nil || !strings.ContainsAny(name, ",@") {
		return compare.Open(name)
	}
	var sets []*compare.Set
	for _, part := range strings.Split(name, ",") {
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

// regressions returns what became of --fail-on as an error; what was met is worse than
// what could not be judged.
func regressions(list []*compare.Comparison) error {
	var met, unknown []error
	for _, c := range list {
		for _, o := range c.FailOn {
			if len(o.Failed) > 0 {
				met = append(met, fmt.Errorf("compare: %s: %s is met: %s", c.New.Dir, o.Condition, strings.Join(o.Failed, ", ")))
			}
			if len(o.Inconclusive) > 0 {
				unknown = append(unknown, fmt.Errorf("compare: %s: %s cannot be judged: %s", c.New.Dir, o.Condition, strings.Join(o.Inconclusive, ", ")))
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

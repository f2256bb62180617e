package analysis

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
)

const compareLong = `Compare reports for each percentile whether NEW is faster or slower than BASE, or that
no difference is shown, with the ratio of the response times and its confidence
interval.

A side is the folder of a run. DIR@TARGET is one target of it, and DIR,DIR,... are
runs that repeat each other. With several NEW, each is compared with BASE.

Cells are paired by target, rate, size, connections, messages in flight and
arrivals. If each side has one target of the same product, the targets'
names do not matter; --by shape pairs targets of different products. Compare refuses
cells that differ in these, or in settings that decide whether a message
survives a failure (acks, copies, confirms, durable queues), unless you add --unequal.
It lists other differences in settings and environment.

Measure both sides by turns, each of them first as often as the other: with ab, as two
targets of one plan with --repeat 8, or in short runs that are joined, in the order A B B A.
Then each run is compared with its neighbour in time, and slow changes
of the machine do not count. Otherwise the spread between the repeats counts.
One run a side shows that these two runs differ, and not that the systems do. If nothing
changed, the chance that any percentile of a comparison is called faster or slower is
5 %, and so is that of pauses, and that of gates that fail or pass by mistake.

--fail-on is a gate. You can give it several times:
  p99>10%        p99 is more than 10 % higher (max too, but not with fewer than 4 runs)
  loss>0.1%      of all messages, 0.1 % more are not done
  pauses>50%     there are pauses in more than half as many seconds again
  pauses>2/min   there are pauses in more than two more seconds of a minute
It failed if all of the interval is above the limit, it passed if all of it is below.
Else it is not decided: measure more repeats. --format junit makes each gate a test case,
and github a summary for $GITHUB_STEP_SUMMARY.

Exit codes: 0 good, and all gates passed; 1 a folder cannot be read, or the two sides
are not equal; 2 a mistake in the command line; 4 a gate is not decided, or cannot be,
because a cell is INVALID or missing in NEW; 5 a gate failed.`

const rankLong = `
Of one run alone, compare RUN ranks its targets at each shape and percentile that the
plan asks for: which is faster, with which confidence, and which targets cannot be
told apart. The targets of a shape are measured by turns within each repeat, so the repeats are
pairs. With one repeat it names no winner.

Beside files of other tools, which plot reads too, it only prints the percentiles.
`

type compareOptions struct {
	base   string
	next   []string
	failOn []string
	command.Printing
	compare.Options
}

// NewCompare returns the command compare.
func NewCompare(s command.Streams) *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare BASE NEW... | [RUN]",
		Short: "Report what became faster or slower between runs, with intervals",
		Long:  strings.Replace(compareLong, "\nExit codes:", rankLong+command.LastLong+"\nExit codes:", 1),
		Example: `  brokerbench compare brokerbench-results/20261121-060000-before brokerbench-results/20261122-060000-after
  brokerbench compare before/latest after/latest --fail-on 'p99>10%' --fail-on 'p99.9>25%' -o comment.md
  brokerbench compare monday/,tuesday/ wednesday/,thursday/
  brokerbench compare run/@nats run/@redis --by shape
  brokerbench compare run/ openmessaging-result.json
  brokerbench compare`,
		ValidArgsFunction: s.CompleteSides,
		RunE: func(_ *cobra.Command, dirs []string) error {
			if err := o.Check(); err != nil {
				return err
			}
			dirs, err := s.OrLast(dirs)
			if err != nil {
				return err
			}
			o.base, o.next = dirs[0], dirs[1:]
			switch {
			case slices.ContainsFunc(dirs, isFile):
				return runBeside(s, o, dirs)
			case len(o.next) == 0:
				return runRank(s, o)
			}
			return runCompare(s, o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.failOn, "fail-on", nil, "a gate, such as p99>10%, max>100%, loss>0.1% or pauses>50%: exit code 5 if it failed, 4 if it is not decided")
	command.DefineChoice(f, &o.By, "by", "",
		"what else cells are paired by besides their shape (shape: nothing): ", []compare.By{compare.ByTarget, compare.ByShape})
	f.BoolVar(&o.Force, "unequal", false, "compare even if the two sides are not equal")
	o.Define(f, exchange.Gates()...)
	return c
}

func runCompare(s command.Streams, o compareOptions) error {
	var errs []error
	for _, text := range o.failOn {
		condition, err := compare.ParseCondition(text)
		errs = append(errs, err)
		o.FailOn = append(o.FailOn, condition)
	}
	if o.Format() == exchange.JUnit && len(o.failOn) == 0 {
		errs = append(errs, errors.New("--format junit has a test case for each gate: add --fail-on, such as --fail-on 'p99>10%'"))
	}
	if err := errors.Join(errs...); err != nil {
		return command.Usage(err)
	}
	o.Decisive = s.Decisive()
	base, err := openSide(s, o.base)
	if err != nil {
		return err
	}
	var list []*compare.Comparison
	for _, name := range o.next {
		next, err := openSide(s, name)
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
	d := comparison.Compare(list)
	exchange.OfferGates(d, list)
	if err := o.Show(s, d); err != nil {
		return err
	}
	return regressions(list)
}

// runRank ranks the targets of one run, or of several that are joined.
func runRank(s command.Streams, o compareOptions) error {
	if len(o.failOn) > 0 || o.By == compare.ByShape || o.Force || o.Format() == exchange.JUnit {
		return command.Usage(errors.New("one run is ranked, which takes no --fail-on, --by shape, --unequal or --format junit (want BASE NEW... to compare)"))
	}
	set, err := openSide(s, o.base)
	if err != nil {
		return err
	}
	ranking, err := rank.Rank(set)
	if err != nil {
		return err
	}
	d := comparison.Rank(ranking)
	exchange.OfferGates(d, nil)
	return o.Show(s, d)
}

// openSide reads DIR, DIR@TARGET, or a comma-separated list of them. A folder whose name
// contains these characters is read as a folder.
func openSide(s command.Streams, name string) (*compare.Set, error) {
	if _, err := os.Stat(name); err == nil || !strings.ContainsAny(name, ",@") {
		set, err := compare.Open(name)
		return set, command.HoldsRuns(name, err)
	}
	var sets []*compare.Set
	for part := range strings.SplitSeq(name, ",") {
		set, err := openTarget(part)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return compare.Join(s.Decisive(), sets...)
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

// regressions returns the outcome of --fail-on as an error. A gate that failed decides
// the exit code before one that is not decided.
func regressions(list []*compare.Comparison) error {
	var failed, open []error
	for _, c := range list {
		for _, o := range c.FailOn {
			failed = append(failed, outcome(c, o, compare.Failed, "failed"))
			open = append(open, outcome(c, o, compare.NotDecided, "is not decided"))
		}
	}
	switch {
	case errors.Join(failed...) != nil:
		return command.Fail(command.ExitRegression, errors.Join(append(failed, open...)...))
	case errors.Join(open...) != nil:
		return command.Fail(command.ExitInvalid, errors.Join(open...))
	}
	return nil
}

// outcome names the cells of the gates with a result; nil if there are none.
func outcome(c *compare.Comparison, o compare.Outcome, r compare.Result, text string) error {
	var names []string
	for _, g := range o.Gates {
		if g.Result == r {
			names = append(names, g.Title)
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s: %s %s: %s", c.New.Dir, o.Condition, text, strings.Join(names, "; "))
}

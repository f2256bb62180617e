package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
)

const abLong = `Ab measures two variants in turn on this machine and reports how they differ: A, B, B, A
and so on. A machine that is slow for minutes slows both of a pair, which does not
change their ratio. Of every two pairs one begins with A and one with B; --seed decides
which is first.

Each --side has the arguments of run: targets, -f, and flags such as --connections 4.
Flags of ab itself apply to both sides. The first cell of A is paired with the first of B,
and so on; a cell's shape may differ, if that is the question.

--pairs is the number of pairs. With --until 5% (or ±5%) it is the minimum, and more
pairs follow until the interval of each requested percentile is within ±5 %, or the
time of --at-most is over. The decision to stop does not depend on which side is faster.
docs/simulations/ab.md shows how often ab is wrong.

With --agents several machines measure both sides, as in run.

Both sides are kept as ordinary results, which compare A/ B/ reads, with what the
pairs show beside them in ab.json. Floors are not measured unless --floor is on.

Exit codes: 0 good; 1 an error; 2 a mistake in the command line or plan; 4 nothing
could be judged, or not every interval is as narrow as --until says; 130 interrupted,
with the measurements so far.`

// abOptions are the flags and arguments of `ab`.
type abOptions struct {
	measureOptions
	sides  []string
	pairs  int
	atMost time.Duration

	a, b   *side
	narrow *float64 // --until, as a part of 1; nil: so many pairs
}

const defaultPairs = 8

func newAB(s command.Streams, args []string) *cobra.Command {
	o := abOptions{measureOptions: measureOptions{args: args, once: "ab goes by turns, which were broken off"}}
	c := &cobra.Command{
		Use:   "ab --side A --side B",
		Short: "Measure two variants in turn and report the difference",
		Long:  abLong,
		Example: `  brokerbench ab --side nats://127.0.0.1:4222 --side redis://127.0.0.1:6379 --rate 3000
  brokerbench ab --side 'kafka://127.0.0.1:9092?linger=0s' --side 'kafka://127.0.0.1:9092?linger=5ms' --until 5% --at-most 20m
  brokerbench ab --side 'nats://127.0.0.1:4222 --connections 1' --side 'nats://127.0.0.1:4222 --connections 8'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			err := o.checkAtMost(c.Flags().Changed("at-most"))
			if err == nil {
				err = o.resolve(s)
			}
			if err != nil {
				return command.Usage(err)
			}
			return runAB(c.Context(), s, o)
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.sides, "side", nil, "arguments of run, in quotes: give it twice, first A, then B")
	f.IntVar(&o.pairs, "pairs", defaultPairs, "how many pairs to measure, at least 2")
	read(f, &o.narrow, "until", "measure more pairs until every interval is as narrow as `PERCENT`, such as 5% or ±5%", parseUntil)
	defineAtMost(f, &o.atMost)
	defaults := sideDefaults()
	maps.Copy(defaults, map[string][]string{"name": {"ab"}})
	o.plan.Defaults = defaults
	o.plan.DefineKeys(f, "repeat", "slo", "slo-observed", "user", "targets")
	o.define(f, exchange.GitHub)
	return c
}

// resolve reads both sides.
func (o *abOptions) resolve(s command.Streams) (err error) {
	if len(o.sides) != 2 {
		return fmt.Errorf("--side is given %d times: want it twice, first A, then B", len(o.sides))
	}
	if o.pairs < 2 {
		return fmt.Errorf("--pairs %d: one pair does not show how pairs vary: want 2 or more", o.pairs)
	}
	if o.a, err = newSide(s, o.sides[0], &o.plan); err != nil {
		return err
	}
	if o.b, err = newSide(s, o.sides[1], &o.plan); err != nil {
		return err
	}
	// One runner opens the targets of both.
	o.plan.Out, o.plan.Targets = o.a.plan.Out, testbed.NewTargets(s.Brokers)
	maps.Copy(o.plan.Targets.Parsed, o.a.plan.Targets.Parsed)
	maps.Copy(o.plan.Targets.Parsed, o.b.plan.Targets.Parsed)
	return errors.Join(pairUp(o.a, o.b), o.a.p.OneSize("ab"), o.check(), o.place(o.a.p, o.b.p))
}

// checkAtMost checks --at-most, which may be given.
func (o *abOptions) checkAtMost(given bool) error {
	switch {
	case given && o.narrow == nil:
		return errors.New("--at-most needs --until: without it, --pairs says how long it takes")
	case o.narrow == nil:
		o.atMost = 0 // so many pairs, however long they take
		return nil
	}
	return checkAtMost(o.atMost)
}

// parseUntil reads the width of intervals, as a part of 1.
func parseUntil(text string) (*float64, error) {
	width, err := parsePrecision(strings.TrimLeft(strings.TrimSpace(text), "±+-/"))
	if err == nil && (width < 0.002 || width > 1) {
		err = errors.New("want 0.2% to 100%, as smaller differences are not measured")
	}
	return &width, err
}

// pairTook returns how long a pair of every cell takes, if nothing is late.
func (o *abOptions) pairTook() time.Duration { return o.a.p.Took() + o.b.p.Took() }

// announced says beforehand how long it will take.
func (o *abOptions) announced() string {
	text := fmt.Sprintf("%d pairs: about %v", o.pairs, (time.Duration(o.pairs) * o.pairTook()).Round(time.Second))
	if o.narrow != nil {
		text += fmt.Sprintf(", then more until every interval is within ±%.3g %%, for at most %v", 100**o.narrow, o.atMost)
	}
	return text
}

// redacted returns what was asked for as a side, without passwords.
func (sd *side) redacted() string {
	words, _ := shellWords(sd.text)
	for i := range words {
		words[i] = brokers.Redact(words[i])
	}
	return strings.Join(words, " ")
}

// runAB measures, analyses and prints. Its error carries the exit code.
func runAB(ctx context.Context, s command.Streams, o abOptions) error {
	t, err := newTurns(ctx, s, o)
	if err != nil {
		return err
	}
	t.progress.say(o.announced())
	measured := t.measure(ctx)
	return t.end(ctx, measured)
}

package analysis

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// byClaim are the runs of this machine by the ID of the claim that they measure.
type byClaim map[string][]*claims.Run

func (m byClaim) of(c claims.Claim) []*claims.Run { return m[c.ID] }

// here returns the results of this machine: those of --with, or new ones. An interruption keeps what
// was measured, and is the error beside it.
func (o *reproduceOptions) here(ctx context.Context, s command.Streams, b *bundle) (byClaim, error) {
	if len(o.with) > 0 {
		return o.given(b)
	}
	if err := b.checkPlans(); err != nil {
		return nil, command.Usage(err)
	}
	var errs []error
	steps := b.steps()
	for i, next := range steps {
		p, err := o.dryRun(ctx, s, b, next)
		if o.quick && p.Settings.Duration > quickWindow {
			steps[i].shortened = true
			p, err = o.dryRun(ctx, s, b, steps[i])
		}
		if err == nil {
			err = b.checkPlan(next, p)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, command.Usage(err)
	}
	return o.measure(ctx, s, b, steps)
}

// quickWindow is the longest window with --quick.
const quickWindow = 5 * time.Second

// given returns the runs of --with, each for the claims whose plan it measures. It ignores the runs of
// other claims of the study, which --claims leaves out.
func (o *reproduceOptions) given(b *bundle) (byClaim, error) {
	m, errs := make(byClaim), []error(nil)
	var all []*claims.Run
	for _, dir := range results.WithoutLatest(o.with) {
		run, err := claims.Open(dir)
		if err != nil {
			return nil, command.HoldsRuns(dir, err)
		}
		if holds(all, run) {
			continue
		}
		all = append(all, run)
		plans := make(map[string]bool)
		for _, c := range b.claims {
			if b.matches(c, run) {
				m[c.ID] = append(m[c.ID], run)
				plans[c.Plan] = true
			}
		}
		switch names := slices.Sorted(maps.Keys(plans)); {
		case len(names) == 0 && !b.ofOthers(run):
			errs = append(errs, fmt.Errorf("%s measured no plan of the claims: want a run of %s, with its name", dir, words.Join(b.steps(), " or ", func(s step) string { return s.plan })))
		case len(names) > 1:
			errs = append(errs, fmt.Errorf("%s is a run of %s alike: their names must differ", dir, words.And(names)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, command.Usage(err)
	}
	return m, nil
}

// measure measures the plans of the claims. After an error that leaves other targets alone their
// claims can be judged.
func (o *reproduceOptions) measure(ctx context.Context, s command.Streams, b *bundle, steps []step) (byClaim, error) {
	m := make(byClaim)
	for _, next := range steps {
		for range o.times(next) {
			run, err := o.measureOnce(ctx, s, b, next)
			for _, c := range b.claims {
				if run != nil && next.measures(c) {
					m[c.ID] = append(m[c.ID], run)
				}
			}
			switch command.ExitCode(err) {
			case command.ExitInterrupted:
				return m, err
			case command.ExitUsage:
				return nil, err
			}
		}
	}
	return m, nil
}

// times returns how often a step is started. A run has the repeats of its plan.
func (o *reproduceOptions) times(s step) int {
	n, _ := strconv.Atoi(o.repeat) // which check read
	switch {
	case s.search == nil:
		return 1
	case n > 0:
		return n
	case o.quick:
		return 1
	}
	return s.times
}

// args returns the command that measures a step, and its arguments.
func (o *reproduceOptions) args(b *bundle, s step, out string) (name string, args []string) {
	args = []string{"--file", filepath.Join(b.dir, s.plan), "--out", out}
	if s.search != nil {
		return "search", append(args, b.searchArgs(s)...)
	}
	if s.shortened {
		args = append(args, "--duration", quickWindow.String())
	}
	if o.quick {
		args = append(args, "--repeat", "3")
	}
	if o.repeat != "" {
		args = append(args, "--repeat", o.repeat)
	}
	return "run", args
}

// searchArgs returns the flags with which the published search ran, for the SLOs of the claims.
func (b *bundle) searchArgs(s step) []string {
	c := s.search.Config
	args := []string{
		"--from", fmt.Sprint(c.From), "--max", fmt.Sprint(c.Max), "--precision", fmt.Sprintf("%g%%", 100*c.Precision),
		"--duration", c.Window.String(), "--confirm", c.Confirm.String(), "--unseen-pause", c.Pause.String(), "--at-most", c.AtMost.String(),
	}
	for _, claim := range b.claims {
		if slo := claim.SLO().String(); s.measures(claim) && !slices.Contains(args, slo) {
			args = append(args, "--slo", slo)
		}
	}
	return args
}

// dryRun checks a step without measuring, and returns its plan.
func (o *reproduceOptions) dryRun(ctx context.Context, s command.Streams, b *bundle, next step) (plan.Plan, error) {
	var text bytes.Buffer
	s.Out = &text
	name, args := o.args(b, next, o.out)
	var planned struct{ Plan plan.Plan }
	err := o.run(ctx, s, name, append(args, "--dry-run", "--format", "json"))
	if err == nil {
		err = json.Unmarshal(text.Bytes(), &planned)
	}
	return planned.Plan, err
}

// measureOnce runs or searches a plan. The run is nil if nothing was measured.
func (o *reproduceOptions) measureOnce(ctx context.Context, s command.Streams, b *bundle, next step) (*claims.Run, error) {
	out := o.out
	if out == "" {
		var err error
		if out, err = s.OutFolder(); err != nil {
			return nil, err
		}
	}
	name, args := o.args(b, next, out)
	began, quiet := time.Now(), s
	quiet.Out = io.Discard
	err := o.run(ctx, quiet, name, args)
	last, latestErr := results.Latest(out)
	if latestErr != nil {
		return nil, err
	}
	run, openErr := claims.Open(last.Dir())
	if openErr != nil {
		fmt.Fprintln(s.Err, "brokerbench:", openErr)
	}
	if openErr != nil || run.Run.Started.Before(began.Add(-time.Second)) {
		return nil, errors.Join(err, openErr)
	}
	fmt.Fprintln(s.Err, "measured:", run.Dir)
	return run, err
}

// differences lists how the machine, the brokers and the settings differ from the published ones.
func differences(s command.Streams, b *bundle, here byClaim) (list []compare.Difference) {
	for _, c := range b.claims {
		for _, published := range b.evidence(c) {
			for _, mine := range here.of(c) {
				for _, d := range compare.Differences(published.Set, mine.Set, s.Decisive()) {
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

package claims

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
)

// check returns everything that is wrong with a claim by itself.
func (c Claim) check() error {
	var errs []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	want(c.ID != "" && !strings.Contains(c.ID, ","), "want an id without commas")
	want(c.Sentence != "", "want a sentence")
	want(filepath.IsLocal(c.Plan), "plan %q: want a file in the bundle", c.Plan)
	want(len(c.Evidence) > 0, "want evidence: folders of runs in the bundle")
	for _, dir := range c.Evidence {
		want(filepath.IsLocal(dir), "evidence %q: want a folder in the bundle", dir)
	}
	kinds := 0
	for _, is := range []bool{c.Rank != nil, c.Ratio != nil, c.Rate != nil, c.Cost != nil, c.Lost != nil, c.Outage != nil} {
		if is {
			kinds++
		}
	}
	want(kinds == 1, "want one of rank, ratio, rate, cost, lost and outage")
	want(!slices.Contains(c.Targets(), ""), "a target has no name")
	return errors.Join(append(errs, c.checkKind())...)
}

func (c Claim) checkKind() error {
	switch {
	case c.Rank != nil:
		return c.Rank.check()
	case c.Ratio != nil:
		return errors.Join(c.Ratio.checkBounds(), c.Ratio.check())
	case c.Rate != nil && c.Rate.SLO == (plan.Objective{}):
		return errors.New("rate: want slo, the objective that the rates keep")
	case c.Rate != nil:
		return errors.Join(c.Rate.checkBounds(), c.Rate.plain("rate"))
	case c.Cost != nil && !slices.Contains([]CPU{"", Nodes, Client, Both}, c.Cost.CPU):
		return fmt.Errorf("cost: cpu %q: want %s, %s or %s", c.Cost.CPU, Nodes, Client, Both)
	case c.Cost != nil:
		return errors.Join(c.Cost.checkBounds(), c.Cost.plain("cost"))
	case c.Outage != nil && (c.Outage.BelowS <= 0 || c.Outage.Fault < 0):
		return errors.New("outage: want below_s above 0, and a fault from 0")
	}
	return nil
}

func (r *Rank) check() error {
	targets := slices.Concat(r.groups()...)
	if len(targets) < 2 || r.Within != 0 && r.Within <= 1 {
		return errors.New("rank: want an order of two targets or more, and within above 1")
	}
	if len(group.Unique(targets)) < len(targets) {
		return errors.New("rank: a target is named twice")
	}
	return errors.Join(checkSeries(r.Series), checkPercentile(r.Percentile))
}

func (r *Ratio) check() error {
	of, to := r.Of, r.To
	switch {
	case of.Target == Floor:
		return errors.New("ratio: the floor can only be the other side (to)")
	case to.Target == Floor && (to.Series != "" || to.Shape != ""):
		return errors.New("ratio: the floor has the shape of the other side, and only a response: leave out its shape and series")
	}
	return errors.Join(checkSeries(of.Series), checkSeries(to.Series),
		checkPercentile(cmp.Or(of.Percentile, r.Percentile)), checkPercentile(cmp.Or(to.Percentile, r.Percentile)))
}

// plain refuses sides of a percentile.
func (s Sides) plain(kind string) error {
	for _, side := range []Side{s.Of, s.To} {
		switch {
		case side.Target == Floor:
			return fmt.Errorf("%s: the floor has none: name a target, such as a service without a broker", kind)
		case side.Series != "" || side.Percentile != 0:
			return fmt.Errorf("%s: want sides of a target and a shape, without series and percentile", kind)
		}
	}
	return nil
}

func (s Sides) checkBounds() error {
	if s.Low < 0 || cmp.Or(s.High, s.Low+1) <= s.Low || s.Low == 0 && s.High == 0 {
		return fmt.Errorf("ratio from %v to %v: want low below high, or one of them", s.Low, s.High)
	}
	if s.Of == s.To {
		return errors.New("both sides are the same")
	}
	return nil
}

func checkSeries(name string) error {
	if name == "" || slices.Contains(Series(), name) {
		return nil
	}
	return fmt.Errorf("series %q: want one of %s", name, words.And(Series()))
}

func checkPercentile(p float64) error {
	if p > 0 && p <= 100 {
		return nil
	}
	return fmt.Errorf("percentile %v: want above 0, and at most 100", p)
}

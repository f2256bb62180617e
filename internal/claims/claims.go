// Package claims reads the claims of a published study, and judges them by results: those of the
// study itself, or those of another machine.
//
//	list, err := claims.Read("results/published/2026-12-01-lab")
//	judged, err := claims.Judge(list, func(c claims.Claim) []compare.Trial { return trials })
//
// # Method
//
// Every claim about times becomes statements about ratios: B/A is above 1, or inside an interval. The
// repeats are pairs, as in package rank, and a statement is judged by Student's interval of the mean
// logarithm of the ratios ([stats.LogRatios]). It holds if the whole interval is inside the stated
// one, and is refuted if the two do not meet. The statements of all claims are one family
// ([stats.Holm]): the probability that any is answered wrongly is at most 5 %. A claim is reproduced if
// all of its statements hold, and contradicted if one is refuted. Losses are counted, not estimated.
package claims

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/internal/config"
)

// File is the name of the file of claims in a bundle.
const File = "claims.yaml"

// A Claim is a sentence of a study, as data. It has exactly one of Rank, Ratio, Lost and Outage.
type Claim struct {
	ID       string   `yaml:"id" json:"id"`
	Sentence string   `yaml:"sentence" json:"sentence"`
	Plan     string   `yaml:"plan" json:"plan"`                       // the file in the bundle that measures it
	Evidence []string `yaml:"evidence" json:"evidence"`               // the folders of runs in the bundle
	Shape    string   `yaml:"shape,omitempty" json:"shape,omitempty"` // as plan.Shape.ID writes it; "": the only one

	Rank   *Rank   `yaml:"rank,omitempty" json:"rank,omitempty"`
	Ratio  *Ratio  `yaml:"ratio,omitempty" json:"ratio,omitempty"`
	Lost   *Lost   `yaml:"lost,omitempty" json:"lost,omitempty"`
	Outage *Outage `yaml:"outage,omitempty" json:"outage,omitempty"`
}

// A Rank claims an order of targets.
type Rank struct {
	Percentile float64 `yaml:"percentile" json:"percentile"`
	// Order has the fastest first. An item "a ≈ b" is a group of equals.
	Order []string `yaml:"order" json:"order"`
	// Within is the largest ratio of equals, above 1; 0 is 1.1.
	Within float64 `yaml:"within,omitempty" json:"within,omitempty"`
}

// Floor is the name of the floor of a target in a Ratio: the same shape without a broker.
const Floor = "floor"

// A Ratio claims that Of takes between Low and High times as long as To, a target or [Floor].
type Ratio struct {
	Percentile float64 `yaml:"percentile" json:"percentile"`
	Of         string  `yaml:"of" json:"of"`
	To         string  `yaml:"to" json:"to"`
	Low        float64 `yaml:"low" json:"low"`   // 0: no lower bound
	High       float64 `yaml:"high" json:"high"` // 0: no upper bound
}

// Lost claims that no acknowledged message of a target is lost.
type Lost struct {
	Target string `yaml:"target" json:"target"`
}

// An Outage claims that the outage after a fault is shorter than a time.
type Outage struct {
	Target string  `yaml:"target" json:"target"`
	Fault  int     `yaml:"fault,omitempty" json:"fault,omitempty"` // its index in the plan, from 0
	BelowS float64 `yaml:"below_s" json:"below_s"`
}

// groups returns the groups of equals, the fastest first.
func (r *Rank) groups() (list [][]string) {
	for _, item := range r.Order {
		var group []string
		for name := range strings.SplitSeq(item, "≈") {
			group = append(group, strings.TrimSpace(name))
		}
		list = append(list, group)
	}
	return list
}

// Targets returns the names of the targets that a claim is about, without the floor.
func (c Claim) Targets() (names []string) {
	switch {
	case c.Rank != nil:
		return slices.Concat(c.Rank.groups()...)
	case c.Ratio != nil:
		return slices.DeleteFunc([]string{c.Ratio.Of, c.Ratio.To}, func(name string) bool { return name == Floor })
	case c.Lost != nil:
		return []string{c.Lost.Target}
	case c.Outage != nil:
		return []string{c.Outage.Target}
	}
	return nil
}

// Read reads the claims of a bundle. A mistake in them is one of [config.Mistakes].
func Read(bundle string) ([]Claim, error) {
	name := filepath.Join(bundle, File)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s is no bundle with claims: %w", bundle, err)
	}
	return Parse(name, data)
}

// Parse is Read for the text of the file, which mistakes call name. It does not look for the plans
// and runs that the claims name.
func Parse(name string, data []byte) ([]Claim, error) {
	var file struct {
		Claims []Claim `yaml:"claims"`
	}
	if err := yaml.Load(data, &file, yaml.WithKnownFields()); err != nil {
		return nil, syntax(name, err)
	}
	var root struct {
		Claims []yaml.Node `yaml:"claims"`
	}
	if err := yaml.Load(data, &root); err != nil {
		return nil, syntax(name, err)
	}
	var found config.Mistakes
	seen := make(map[string]bool)
	for i, c := range file.Claims {
		err := c.check()
		if seen[c.ID] {
			err = errors.Join(err, errors.New("another claim has this id"))
		}
		seen[c.ID] = true
		if err != nil {
			where := fmt.Sprintf("%s:%d:%d", name, root.Claims[i].Line, root.Claims[i].Column)
			found = append(found, config.Mistake{Where: where, Message: fmt.Sprintf("claim %q: %s", c.ID, strings.ReplaceAll(err.Error(), "\n", "; "))})
		}
	}
	switch {
	case len(found) > 0:
		return nil, found
	case len(file.Claims) == 0:
		return nil, config.Mistakes{{Where: name + ":1:1", Message: "no claims: want a list below the key claims"}}
	}
	return file.Claims, nil
}

// syntax returns the mistakes of a file that YAML, or the fields of a claim, do not allow.
func syntax(name string, err error) error {
	var list *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = &yaml.LoadErrors{Errors: []*yaml.LoadError{one}}
	default:
		return config.Mistakes{{Where: name, Message: err.Error()}}
	}
	var found config.Mistakes
	for _, e := range list.Errors {
		found = append(found, config.Mistake{Where: fmt.Sprintf("%s:%d:%d", name, e.Mark.Line, e.Mark.Column), Message: "YAML: " + e.Message})
	}
	return found
}

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
	for _, is := range []bool{c.Rank != nil, c.Ratio != nil, c.Lost != nil, c.Outage != nil} {
		if is {
			kinds++
		}
	}
	want(kinds == 1, "want one of rank, ratio, lost and outage")
	targets := c.Targets()
	want(!slices.Contains(targets, ""), "a target has no name")
	slices.Sort(targets)
	want(len(slices.Compact(slices.Clone(targets))) == len(targets), "a target is named twice")
	return errors.Join(append(errs, c.checkNumbers())...)
}

func (c Claim) checkNumbers() error {
	percentile := func(p float64) error {
		if p > 0 && p <= 100 {
			return nil
		}
		return fmt.Errorf("percentile %v: want above 0, and at most 100", p)
	}
	switch {
	case c.Rank != nil && (len(c.Targets()) < 2 || c.Rank.Within != 0 && c.Rank.Within <= 1):
		return errors.New("rank: want an order of two targets or more, and within above 1")
	case c.Rank != nil:
		return percentile(c.Rank.Percentile)
	case c.Ratio != nil && (c.Ratio.Low < 0 || cmp.Or(c.Ratio.High, c.Ratio.Low+1) <= c.Ratio.Low || c.Ratio.Low == 0 && c.Ratio.High == 0):
		return fmt.Errorf("ratio from %v to %v: want low below high, or one of them", c.Ratio.Low, c.Ratio.High)
	case c.Ratio != nil && (c.Ratio.Of == Floor || len(c.Targets()) == 0):
		return errors.New("ratio: the floor can only be the other side (to)")
	case c.Ratio != nil:
		return percentile(c.Ratio.Percentile)
	case c.Outage != nil && (c.Outage.BelowS <= 0 || c.Outage.Fault < 0):
		return errors.New("outage: want below_s above 0, and a fault from 0")
	}
	return nil
}

// Select returns the claims with some IDs, in the order of the file; all of them for no IDs.
func Select(list []Claim, ids []string) ([]Claim, error) {
	var known []string
	for _, c := range list {
		known = append(known, c.ID)
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("no claim %q: the bundle has %s", id, strings.Join(known, ", "))
		}
	}
	if len(ids) == 0 {
		return list, nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(c Claim) bool { return !slices.Contains(ids, c.ID) }), nil
}

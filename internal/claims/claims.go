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
// ([stats.Holm]): the probability that any about repeats is answered wrongly is at most 5 %. A claim is reproduced if
// all of its statements hold, and contradicted if one is refuted. Losses are counted, not estimated.
package claims

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/plan"
)

// File is the name of the file of claims in a bundle.
const File = "claims.yaml"

// A Claim is a sentence of a study, as data. It has exactly one of the kinds from Rank to Outage.
type Claim struct {
	ID       string   `yaml:"id" json:"id"`
	Sentence string   `yaml:"sentence" json:"sentence"`
	Plan     string   `yaml:"plan" json:"plan"`                       // the file in the bundle that measures it
	Evidence []string `yaml:"evidence" json:"evidence"`               // the folders of runs in the bundle
	Shape    string   `yaml:"shape,omitempty" json:"shape,omitempty"` // as plan.Shape.ID writes it; "": the only one

	Rank   *Rank   `yaml:"rank,omitempty" json:"rank,omitempty"`
	Ratio  *Ratio  `yaml:"ratio,omitempty" json:"ratio,omitempty"`
	Rate   *Rate   `yaml:"rate,omitempty" json:"rate,omitempty"`
	Cost   *Cost   `yaml:"cost,omitempty" json:"cost,omitempty"`
	Lost   *Lost   `yaml:"lost,omitempty" json:"lost,omitempty"`
	Outage *Outage `yaml:"outage,omitempty" json:"outage,omitempty"`
}

// A Rank claims an order of targets.
type Rank struct {
	Percentile float64 `yaml:"percentile" json:"percentile"`
	Series     string  `yaml:"series,omitempty" json:"series,omitempty"` // one of [Series]; "": response
	// Order has the fastest first. An item "a ≈ b" is a group of equals.
	Order []string `yaml:"order" json:"order"`
	// Within is the largest ratio of equals, above 1; 0 is 1.1.
	Within float64 `yaml:"within,omitempty" json:"within,omitempty"`
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

// sides returns the two sides of a claim about a ratio; nil for other claims.
func (c Claim) sides() *Sides {
	switch {
	case c.Ratio != nil:
		return &c.Ratio.Sides
	case c.Rate != nil:
		return &c.Rate.Sides
	case c.Cost != nil:
		return &c.Cost.Sides
	}
	return nil
}

// Targets returns the names of the targets that a claim is about, each once, without the floor.
func (c Claim) Targets() (names []string) {
	switch s := c.sides(); {
	case s != nil:
		names = slices.DeleteFunc([]string{s.Of.Target, s.To.Target}, func(name string) bool { return name == Floor })
	case c.Rank != nil:
		names = slices.Concat(c.Rank.groups()...)
	case c.Lost != nil:
		names = []string{c.Lost.Target}
	case c.Outage != nil:
		names = []string{c.Outage.Target}
	}
	return group.Unique(names)
}

// SLO returns the objective of the searches that a claim is about; the zero value if it is about runs.
func (c Claim) SLO() (slo plan.Objective) {
	switch {
	case c.Rate != nil:
		return c.Rate.SLO
	case c.Cost != nil:
		return c.Cost.SLO
	}
	return slo
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

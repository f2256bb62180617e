package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// A reason is one kind of problem, with the cells that have it. All that limits numbers
// by the same, such as this machine, is one kind.
type reason struct {
	problem results.Problem // the one that limits the most percentiles, the first of these
	of      string          // the ID of its cell
	cells   []string        // the IDs of all
}

// reasons says once for each kind of problem which cells have it, and what it is where it
// limits most. The gravest are first.
func reasons(d *document.Document, cells []*results.Cell) {
	list := reasonsOf(cells)
	for _, r := range list {
		d.Note(r.word() + r.who(len(cells)) + r.text())
	}
	if len(list) > 0 {
		d.Note("--details lists the reasons of each cell, and how far to trust its numbers.")
	}
}

// who names the cell whose problem is told, and says how many have it; of one cell,
// nothing.
func (r reason) who(all int) string {
	switch n := len(r.cells); {
	case all == 1:
		return " "
	case n == all:
		return fmt.Sprintf(" %s, such as %s: ", allOf(n, "cell"), r.of)
	case n > 1:
		return fmt.Sprintf(" %d of %s, such as %s: ", n, words.Plural(all, "cell"), r.of)
	}
	return fmt.Sprintf(" %s: ", r.of)
}

// word says how grave a reason is.
func (r reason) word() string {
	switch {
	case r.problem.Severity != results.Valid:
		return verdict(r.problem.Severity)
	case len(r.problem.Limits) > 0:
		return "LIMITED"
	}
	return "NOTE"
}

func (r reason) text() string {
	if text := Limitation(r.problem); text != "" && r.problem.Severity == results.Valid {
		return text
	}
	return r.problem.Text
}

// reasonsOf groups the problems of cells by what they are and how grave.
func reasonsOf(cells []*results.Cell) (list []reason) {
	for _, c := range cells {
		for _, p := range c.Problems {
			if idle(p, c.Plan.Settings.Asked()) {
				continue
			}
			i := slices.IndexFunc(list, func(r reason) bool { return r.alike(p) })
			if i < 0 {
				i, list = len(list), append(list, reason{problem: p, of: c.ID})
			}
			if p.Reach() > list[i].problem.Reach() {
				list[i].problem, list[i].of = p, c.ID
			}
			if !slices.Contains(list[i].cells, c.ID) {
				list[i].cells = append(list[i].cells, c.ID)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b reason) int { return a.grave() - b.grave() })
	return list
}

// idle tells whether a problem only limits percentiles that nobody asked for.
func idle(p results.Problem, asked []float64) bool {
	if p.Severity != results.Valid || len(p.Limits) == 0 {
		return false
	}
	return !slices.ContainsFunc(p.Limits, func(l results.Limit) bool {
		return slices.ContainsFunc(l.Percentiles, func(percentile float64) bool { return slices.Contains(asked, percentile) })
	})
}

// alike tells whether a problem is of the kind of a reason.
func (r reason) alike(p results.Problem) bool {
	if r.problem.Severity != p.Severity || (len(r.problem.Limits) > 0) != (len(p.Limits) > 0) {
		return false
	}
	if p.Severity == results.Valid && len(p.Limits) > 0 {
		return r.problem.Code.By() == p.Code.By()
	}
	return r.problem.Code == p.Code
}

// grave is smaller the graver a reason is.
func (r reason) grave() int {
	return slices.Index([]string{"INVALID", "SUSPECT", "LIMITED", "NOTE"}, r.word())
}

// products says in one line what was measured.
func products(d *document.Document, cells []*results.Cell) {
	var list []string
	targets := make(map[string][]string)
	for _, c := range cells {
		product, name := strings.TrimSpace(c.Broker.Product+" "+c.Broker.Version), c.Plan.Target.Name
		if c.Broker.Product == "" || slices.Contains(targets[product], name) {
			continue
		}
		if targets[product] == nil {
			list = append(list, product)
		}
		targets[product] = append(targets[product], name)
	}
	for i, product := range list {
		list[i] = words.Are(targets[product], mostNamed, "target") + " " + product
	}
	if len(list) > 0 {
		d.Note(strings.Join(list, ", "))
	}
}

// mostNamed is how many targets a line names, at most.
const mostNamed = 4

// allOf writes how many there are if they are all: "both cells", "all 3 cells".
func allOf(n int, noun string) string {
	switch n {
	case 1:
		return "the one " + noun
	case 2:
		return "both " + noun + "s"
	}
	return "all " + words.Plural(n, noun)
}

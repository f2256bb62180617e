package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// A reason is one kind of problem, with the cells that have it. All problems that limit numbers
// by the same cause, such as this machine, are one kind.
type reason struct {
	problem results.Problem // the one that limits the most percentiles, the first of these
	of      string          // the ID of its cell
	cells   []string        // the IDs of all
}

// reasons notes each kind of problem once, with the cells that have it and its text in the cell
// where it limits most. The gravest come first.
func reasons(d *document.Document, cells []*results.Cell) {
	list := reasonsOf(cells)
	for _, r := range list {
		d.Note(r.word() + r.subject(len(cells)) + r.text())
	}
	if len(list) > 0 {
		d.Note("--details lists the reasons of each cell, and how far to trust its numbers.")
	}
}

// subject names the cell of the text, and counts the cells with the problem. It is empty for a run of
// one cell.
func (r reason) subject(all int) string {
	switch n := len(r.cells); {
	case all == 1:
		return " "
	case n == all:
		return fmt.Sprintf(" %s, such as %s: ", format.AllOf(n, "cell"), r.of)
	case n > 1:
		return fmt.Sprintf(" %d of %s, such as %s: ", n, words.Plural(all, "cell"), r.of)
	}
	return fmt.Sprintf(" %s: ", r.of)
}

// word says how grave a reason is.
func (r reason) word() string {
	switch {
	case r.problem.Severity != results.Valid:
		return format.Verdict(r.problem.Severity)
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

// reasonsOf groups the problems of cells by kind and severity.
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

// idle reports whether a problem limits only percentiles that the plan does not ask for.
func idle(p results.Problem, asked []float64) bool {
	if p.Severity != results.Valid || len(p.Limits) == 0 {
		return false
	}
	return !slices.ContainsFunc(p.Limits, func(l results.Limit) bool {
		return slices.ContainsFunc(l.Percentiles, func(percentile float64) bool { return slices.Contains(asked, percentile) })
	})
}

// alike reports whether a problem is of the kind of a reason.
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

// products lists the targets and their products in one line.
func products(d *document.Document, cells []*results.Cell) {
	known := slices.DeleteFunc(slices.Clone(cells), func(c *results.Cell) bool { return c.Broker.Product == "" })
	var list []string
	for _, of := range group.By(known, productOf) {
		var names []string
		for _, c := range of {
			names = append(names, targetOf(c))
		}
		list = append(list, words.Are(group.Unique(names), mostNamed, "target")+" "+productOf(of[0]))
	}
	if len(list) > 0 {
		d.Note(strings.Join(list, ", "))
	}
}

// mostNamed is how many targets a line names, at most.
const mostNamed = 4

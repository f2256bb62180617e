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

// A found is a problem of a cell.
type found struct {
	results.Problem
	cell string // its ID
}

// A kind is the same for problems that people take for one: all that limit numbers by the same cause,
// such as this machine, and else those with the same code.
type kind struct {
	word   string
	limits bool
	cause  string
}

func (f found) kind() kind {
	k := kind{gravity(f.Problem), len(f.Limits) > 0, string(f.Code)}
	if k.word == limitedWord {
		k.cause = f.Code.By()
	}
	return k
}

const limitedWord = "LIMITED"

// gravity says how grave a problem is.
func gravity(p results.Problem) string {
	switch {
	case p.Severity != results.Valid:
		return format.Verdict(p.Severity)
	case len(p.Limits) > 0:
		return limitedWord
	}
	return "NOTE"
}

// kindsOf returns the problems of cells by kind, the gravest first.
func kindsOf(cells []*results.Cell) [][]found {
	var list []found
	for _, c := range cells {
		for _, p := range c.Problems {
			if !idle(p, c.Plan.Settings.Asked()) {
				list = append(list, found{p, c.ID})
			}
		}
	}
	kinds := group.By(list, found.kind)
	order := []string{"INVALID", "SUSPECT", limitedWord, "NOTE"}
	slices.SortStableFunc(kinds, func(a, b []found) int {
		return slices.Index(order, a[0].kind().word) - slices.Index(order, b[0].kind().word)
	})
	return kinds
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

// reasons notes each kind of problem once, with the cells that have it and its text in the cell
// where it limits most percentiles.
func reasons(d *document.Document, cells []*results.Cell) {
	kinds := kindsOf(cells)
	for _, alike := range kinds {
		most := slices.MaxFunc(alike, func(a, b found) int { return a.Reach() - b.Reach() })
		d.Note(gravity(most.Problem) + subject(most.cell, alike, len(cells)) + reasonText(most.Problem))
	}
	if len(kinds) > 0 {
		d.Note("--details lists the reasons of each cell, and how far to trust its numbers.")
	}
}

// subject names the cell of the text, and counts the cells with the problem. It is empty for a run of
// one cell.
func subject(cell string, alike []found, all int) string {
	var ids []string
	for _, f := range alike {
		ids = append(ids, f.cell)
	}
	switch n := len(group.Unique(ids)); {
	case all == 1:
		return " "
	case n == all:
		return fmt.Sprintf(" %s, such as %s: ", format.AllOf(n, "cell"), cell)
	case n > 1:
		return fmt.Sprintf(" %d of %s, such as %s: ", n, words.Plural(all, "cell"), cell)
	}
	return fmt.Sprintf(" %s: ", cell)
}

func reasonText(p results.Problem) string {
	if text := Limitation(p); text != "" && p.Severity == results.Valid {
		return text
	}
	return p.Text
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

const mostNamed = 4

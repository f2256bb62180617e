//go:build linux

package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/stats"
)

// A tally counts cells that were harmed in one way, or not at all, and the causes that were named.
type tally struct {
	cells, undone, harmed, undecided, found int
	right, beside                           int            // causes
	first, firstRight                       int            // those that are named first, unless they follow
	wrong                                   map[string]int // by their name and place
	named                                   int            // cells
}

// A score has the tallies of kinds; of runs without harm; of these with the messages of other cells; and of runs with harm
// with the messages of other cells.
type score struct {
	kinds, nulls, crossed, swapped map[string]*tally
	notes                          []string // a line for each cell
}

func at(of *map[string]*tally, name string) *tally {
	if *of == nil {
		*of = make(map[string]*tally)
	}
	if (*of)[name] == nil {
		(*of)[name] = &tally{wrong: make(map[string]int)}
	}
	return (*of)[name]
}

func (v verdict) text() string {
	text := v.Verdict
	for _, c := range v.Causes {
		text += ", " + c.Cause + " " + c.Where
	}
	return text
}

// addNull counts a cell that was not harmed.
func (s *score) addNull(run, folder string, v verdict) {
	t := at(&s.nulls, strings.TrimPrefix(run, "null-"))
	t.add(v, nil, nil)
	if len(v.Causes) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: not harmed: %s: %s", run, v.text(), folder))
	}
}

// addHarmed counts a cell that was harmed in a way, if that had an effect on messages.
func (s *score) addHarmed(run, folder string, d deed, v verdict, effect bool) {
	t, k := at(&s.kinds, d.Kind), kinds()[d.Kind]
	if d.Problem != "" {
		t.cells++
		t.undone++
		s.notes = append(s.notes, fmt.Sprintf("%s: %s: not done: %s", run, d.Kind, d.Problem))
		return
	}
	before := t.right
	t.add(v, k.right, k.beside)
	how := "without effect"
	if effect {
		t.harmed++
		how = "missed"
		if t.right > before {
			t.found++
			how = "found"
		}
	}
	s.notes = append(s.notes, fmt.Sprintf("%s: %s: %s: %s: %s", run, d.Kind, how, v.text(), folder))
}

// add counts a cell, and the causes that are named.
func (t *tally) add(v verdict, right, beside []cause) {
	t.cells++
	if v.Verdict == "undecided" {
		t.undecided++
	}
	if len(v.Causes) > 0 {
		t.named++
	}
	for i, c := range v.Causes {
		named := cause{c.Cause, place(c.Where)}
		if i == 0 && !slices.Contains(beside, named) {
			t.first++
			if slices.Contains(right, named) {
				t.firstRight++
			}
		}
		switch {
		case slices.Contains(right, named):
			t.right++
		case slices.Contains(beside, named):
			t.beside++
		default:
			t.wrong[named.what+" "+named.where]++
		}
	}
}

// sum adds up tallies.
func sum(all map[string]*tally) *tally {
	total := &tally{wrong: make(map[string]int)}
	for _, t := range all {
		total.cells += t.cells
		total.undone += t.undone
		total.harmed += t.harmed
		total.undecided += t.undecided
		total.found += t.found
		total.right += t.right
		total.beside += t.beside
		total.first += t.first
		total.firstRight += t.firstRight
		total.named += t.named
		for name, n := range t.wrong {
			total.wrong[name] += n
		}
	}
	return total
}

// mistakes returns the number of wrong causes, and their names, the most frequent first.
func (t *tally) mistakes() (n int, names string) {
	sorted := slices.SortedFunc(maps.Keys(t.wrong), func(a, b string) int {
		return cmp.Or(t.wrong[b]-t.wrong[a], strings.Compare(a, b))
	})
	for i, name := range sorted {
		n += t.wrong[name]
		sorted[i] = fmt.Sprintf("%s %d", name, t.wrong[name])
	}
	return n, strings.Join(sorted, ", ")
}

// share writes a share with its 95 % interval (Clopper & Pearson).
func share(count, of int) string {
	if of == 0 {
		return "–"
	}
	low, high := stats.BinomialInterval(float64(count), float64(of), 0.95)
	return fmt.Sprintf("%.0f %% (%.0f–%.0f)", 100*float64(count)/float64(of), 100*low, 100*high)
}

// text returns the tables.
func (s *score) text() string {
	harmed := document.Table{
		Head:  []string{"harm", "cells", "with effect", "found", "recall (95 %)", "right causes", "that follow", "wrong", "wrong causes"},
		Align: "lrrrrrrrl", Bold: []string{"all"},
	}
	row := func(name string, t *tally) []string {
		n, names := t.mistakes()
		return []string{
			name, strconv.Itoa(t.cells - t.undone), strconv.Itoa(t.harmed), strconv.Itoa(t.found), share(t.found, t.harmed),
			strconv.Itoa(t.right), strconv.Itoa(t.beside), strconv.Itoa(n), names,
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		harmed.Rows = append(harmed.Rows, row(name, s.kinds[name]))
	}
	all, none, crossed := sum(s.kinds), sum(s.nulls), sum(s.crossed)
	harmed.Rows = append(harmed.Rows, row("all", all))
	calm := document.Table{
		Head:  []string{"not harmed", "cells", "not decided", "with a cause", "share (95 %)", "causes", "of other messages: with a cause", "share (95 %)", "causes"},
		Align: "lrrrrlrrl", Bold: []string{"all"},
	}
	pair := func(name string, t, c *tally) []string {
		_, names := t.mistakes()
		_, crossed := c.mistakes()
		return []string{
			name, strconv.Itoa(t.cells), strconv.Itoa(t.undecided), strconv.Itoa(t.named), share(t.named, t.cells), names,
			strconv.Itoa(c.named), share(c.named, c.cells), crossed,
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.nulls)) {
		calm.Rows = append(calm.Rows, pair(name, s.nulls[name], s.crossed[name]))
	}
	calm.Rows = append(calm.Rows, pair("all", none, crossed))
	wrong, _ := all.mistakes()
	swapped := sum(s.swapped)
	decided := swapped.cells - swapped.undecided
	headline := document.Table{
		Head: []string{"score", "goal", "measured (95 %)"},
		Rows: [][]string{
			{"precision: right causes of those that are right or wrong", "≥ 90 %", share(all.right, all.right+wrong)},
			{"precision, if a cause that follows counts as wrong", "", share(all.right, all.right+wrong+all.beside)},
			{"precision of the causes that are named first", "", share(all.firstRight, all.first)},
			{"recall: cells with a right cause of those with an effect", "≥ 70 %", share(all.found, all.harmed)},
			{"cells that were not harmed and have a cause", "≤ 5 %", share(none.named, none.cells)},
			{"the same with the messages of another cell: all causes are false", "≤ 5 %", share(crossed.named, crossed.cells)},
			{fmt.Sprintf("%d harmed cells, each with the messages of every other of its run: all causes are false", decided), "≤ 5 %", share(swapped.named, decided)},
		},
	}
	text := headline.Markdown() + "\n" + harmed.Markdown() + "\n" + calm.Markdown()
	if all.undone > 0 {
		text += fmt.Sprintf("\nIn %d cells this machine could not do the harm.\n", all.undone)
	}
	return text
}

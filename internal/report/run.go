// Package report turns results into documents for people and programs: a run, a search, a
// verification, a sum of logs, doctor's findings and a plan. It judges nothing: the
// results say how far each number can be trusted.
//
// In text and Markdown a percentile with fewer than histogram.MinAbove values above
// it is marked with ~, an unknown one is ?, and a maximum above which messages rank
// that are missing is marked with ≥. In CSV and JSON times are in nanoseconds, and
// unknown values are empty or null.
package report

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// Run begins with the answer: for each shape its targets with the percentiles of the plan, and
// which of them can be told apart. Then it lists the reasons to doubt numbers, each once. With
// details it also shows a row for each cell, the spread between repeats, how far to trust
// the numbers, the problems of each cell, and clients and settings. As JSON it is {"run": …,
// "answer": …, "cells": […], "summaries": […]}, with the schemas of run.json,
// [answer.Answer], cell.json and summary.json, with or without details.
func Run(run results.Run, cells []*results.Cell, repeated []*results.Summary, details bool) *document.Document {
	var d document.Document
	a := answer.Of(run, cells)
	losses(&d, cells)
	if run.Interrupted {
		d.Say(interruption(run, cells))
	}
	shapes(&d, a)
	unseen(&d, a)
	faults(&d, cells)
	agents(&d, cells, details)
	echoes(&d, cells)
	if details {
		detailed(&d, run, cells, repeated)
	}
	limits := func(alike []found) bool { return alike[0].kind().word == limitedWord }
	marks(&d, !details && slices.ContainsFunc(kindsOf(cells), limits))
	if u := a.Uses(); u.All > 0 {
		d.Note(u.String())
	}
	if !details {
		reasons(&d, cells)
	}
	durability(&d, backings("", cells))
	acknowledgements(&d, cells, details)
	costs(&d, cells, details)
	slos(&d, cells, repeated)
	notMeasured(&d, run)
	if !details {
		products(&d, cells)
	}
	d.Exact(runTable(cells), struct {
		Run       results.Run        `json:"run"`
		Answer    *answer.Answer     `json:"answer"`
		Cells     []*results.Cell    `json:"cells"`
		Summaries []*results.Summary `json:"summaries"`
	}{run, a, append([]*results.Cell{}, cells...), append([]*results.Summary{}, repeated...)}) // [], not null
	return &d
}

// interruption says how much of a run was measured.
func interruption(run results.Run, cells []*results.Cell) string {
	text, cut := fmt.Sprintf("INTERRUPTED: %d of %s measured", len(cells), words.Plural(len(run.Cells), "cell")), 0
	for _, c := range cells {
		if c.Interrupted {
			cut++
		}
	}
	if cut > 0 {
		text += fmt.Sprintf(", %d of them not to the end of its window", cut)
	}
	return text + "."
}

// detailed shows everything about each cell.
func detailed(d *document.Document, run results.Run, cells []*results.Cell, repeated []*results.Summary) {
	responses(d, cells)
	repeats(d, run, repeated)
	trust(d, cells)
	if slices.ContainsFunc(cells, func(c *results.Cell) bool { return c.Ledger.Missing() > 0 }) {
		d.Note("ledger: done + F failed + L lost + U unsent = due")
	}
	problems(d, cells)
	notJudged(d, cells)
	brokersOf(d, cells)
	measuredBy(d, cells)
}

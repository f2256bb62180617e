package report

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/answer"
)

// Run answers first: for each shape its targets with the numbers that were asked for,
// and what can and cannot be told apart. Then it says what makes numbers doubtful, each
// reason once. With details it also shows a row for each cell, the spread between
// repeats, how far to trust the numbers, each cell's reasons, and through which clients
// and settings the numbers came. As JSON it is {"run": …, "answer": …, "cells": […],
// "summaries": […]}, with the schemas of run.json, [answer.Answer], cell.json and
// summary.json, with details or without.
func Run(run results.Run, cells []*results.Cell, repeated []*results.Summary, details bool) *document.Document {
	var d document.Document
	a := answer.Of(run, cells)
	losses(&d, cells)
	if run.Interrupted {
		d.Say(interruption(run, cells))
	}
	shapes(&d, a)
	faults(&d, cells)
	agents(&d, cells, details)
	echoes(&d, cells)
	if details {
		detailed(&d, run, cells, repeated)
	}
	limits := func(r reason) bool { return r.word() == "LIMITED" }
	marks(&d, !details && slices.ContainsFunc(reasonsOf(cells), limits))
	usable(&d, cells)
	if !details {
		reasons(&d, cells)
	}
	durability(&d, backings("", cells))
	promises(&d, cells, details)
	costs(&d, cells, details)
	slos(&d, cells)
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

// interruption says how much of a run there is.
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

// detailed shows all that is known of each cell.
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

// Package report turns results into documents for people and programs: a run, a search, a
// verification, a sum of logs, doctor's findings and a plan. It judges nothing: the
// results say how far each number can be trusted.
//
// In text and Markdown numbers have the marks of [format.Marks]. In CSV and JSON times are in
// nanoseconds, and unknown values are empty or null.
package report

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/backlog"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/host"
	"github.com/brokerbench/brokerbench/internal/report/users"
	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/results"
)

// Run answers: the objectives, one grid of numbers, the promises of the targets, the fastest,
// how far the numbers can be believed, and the next command. With details it also shows a row for
// each cell, the spread between repeats, how far to trust the numbers, the problems of each cell, and
// clients and settings. As JSON it is {"run": …, "answer": …, "cells": […], "summaries": […]}, with
// the schemas of run.json, [answer.Answer], cell.json and summary.json, with or without details.
func Run(run results.Run, cells []*results.Cell, repeated []*results.Summary, details bool) *document.Document {
	var d document.Document
	a := answer.Of(run, cells)
	losses(&d, sections.Wholes(cells))
	if run.Interrupted {
		d.Say(interruption(run, sections.Wholes(cells)))
	}
	for _, s := range a.Shapes {
		d.Note(s.Faults...)
		d.Note(s.Causes...)
	}
	backlog.Answer(&d, sections.Wholes(cells), nameOf)
	objectives(&d, a, cells, repeated)
	grid(&d, run, a, cells)
	notMeasured(&d, run)
	durability(&d, backings("", cells))
	d.Gap()
	winners(&d, a)
	d.Gap()
	belief(&d, a)
	if details {
		d.Gap()
		detailed(&d, run, a, cells, repeated)
	}
	d.Gap()
	if len(a.Next) > 0 {
		d.Command("Next: ", a.Next)
	}
	d.Exact(runTable(sections.Wholes(cells)), struct {
		Run       results.Run        `json:"run"`
		Answer    *answer.Answer     `json:"answer"`
		Cells     []*results.Cell    `json:"cells"`
		Summaries []*results.Summary `json:"summaries"`
	}{run, a, append([]*results.Cell{}, cells...), append([]*results.Summary{}, repeated...)}) // [], not null
	return &d
}

// interruption says how much of a run was measured.
func interruption(run results.Run, cells []*results.Cell) string {
	measured, cut := 0, 0
	for _, e := range run.Cells {
		if e.Verdict != "" {
			measured++
		}
	}
	text := fmt.Sprintf("INTERRUPTED: %d of %s measured", measured, words.Plural(len(run.Cells), "cell"))
	for _, c := range cells {
		if c.Interrupted && (c.Plan.Shape.Section == 0 || c.Ledger.Due > 0) { // later sections had not begun
			cut++
		}
	}
	if cut > 0 {
		text += fmt.Sprintf(", %d of them not to the end of its window", cut)
	}
	return text + "."
}

// detailed shows everything about each cell.
func detailed(d *document.Document, run results.Run, a *answer.Answer, cells []*results.Cell, repeated []*results.Summary) {
	wholes := sections.Wholes(cells)
	beside(d, a)
	host.DiskFloors(d, wholes)
	faults(d, wholes)
	agents(d, wholes)
	echoes(d, wholes)
	groups(d, cells)
	backlog.Show(d, wholes, nameOf)
	users.Show(d, cells, nameOf)
	responses(d, cells)
	repeats(d, run, repeated)
	trust(d, cells)
	if slices.ContainsFunc(cells, func(c *results.Cell) bool { return c.Ledger.Missing() > 0 }) {
		d.Note("ledger: done + F failed + L lost + U unsent = due")
	}
	legend(d)
	problems(d, wholes)
	notJudged(d, wholes)
	brokersOf(d, cells)
	measuredBy(d, cells)
	acknowledgements(d, wholes)
	costs(d, wholes)
}

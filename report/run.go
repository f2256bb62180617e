package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// Run shows a row for each cell, the spread between repeats if there are any, what
// makes the numbers doubtful, and through which clients and settings they came. As
// JSON it is {"run": …, "cells": […], "summaries": […]}, with the schemas of
// run.json, cell.json and summary.json.
func Run(run results.Run, cells []*results.Cell, repeated []*results.Summary) *document.Document {
	var d document.Document
	responses(&d, cells)
	repeats(&d, run, repeated)
	trust(&d, cells)
	marks(&d)
	if slices.ContainsFunc(cells, func(c *results.Cell) bool { return c.Ledger.Missing() > 0 }) {
		d.Note("ledger: done + F failed + L lost + U unsent = due")
	}
	usable(&d, cells)
	problems(&d, cells)
	notJudged(&d, cells)
	slos(&d, cells)
	notMeasured(&d, run)
	brokersOf(&d, cells)
	d.Exact(runTable(cells), struct {
		Run       results.Run        `json:"run"`
		Cells     []*results.Cell    `json:"cells"`
		Summaries []*results.Summary `json:"summaries"`
	}{run, append([]*results.Cell{}, cells...), append([]*results.Summary{}, repeated...)}) // [], not null
	return &d
}

// responses shows the response time of each cell.
func responses(d *document.Document, cells []*results.Cell) {
	if len(cells) == 0 {
		return
	}
	d.Say("Response time in ms, from the moment each message was due; service p99 from the moment it was sent.")
	arrivals := slices.ContainsFunc(cells, func(c *results.Cell) bool { return arrivalsOf(c) != schedule.Constant })
	t := document.Table{Head: []string{"target", "rate/s", "reached", "size", "conn", "flight"}, Align: "lr", Gap: 1}
	if arrivals {
		t.Head = append(t.Head, "arrivals")
	}
	t.Head = append(t.Head, "p50", "p99", "p99.9", "p99.99", "max", "svc p99", "ledger", "verdict")
	for _, c := range cells {
		t.Rows = append(t.Rows, responseRow(c, arrivals))
	}
	d.Show(t)
}

func arrivalsOf(c *results.Cell) schedule.Arrivals {
	return cmp.Or(c.Plan.Shape.Arrivals, schedule.Constant)
}

func responseRow(c *results.Cell, arrivals bool) []string {
	s := c.Plan.Shape
	fields := []string{
		clip(c.Plan.Target.Name, 12), s.Rate.Column(), words.Rate(c.ReachedPerS), words.Size(s.Size),
		fmt.Sprint(s.Connections), words.InFlight(s.InFlight),
	}
	if arrivals {
		fields = append(fields, string(arrivalsOf(c)))
	}
	for _, p := range append(results.Headline(), 100) {
		fields = append(fields, value(c.Response, p))
	}
	return append(fields, value(c.Service, 99), ledger(c.Ledger), verdict(c.Verdict))
}

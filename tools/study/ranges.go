package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A row is a target at a rate and beside a store, or the floor of all of them there.
type row struct {
	target    string
	store     int64 // as in [plan.Shape]
	rate      float64
	responses []results.Distribution // of the repeats
	cpu       []float64              // of nodes for a message, in ns; none if it is unknown
}

// ranges returns a table of a run, by rate: the lowest and the highest percentiles of the repeats, and the CPU time
// of nodes for a message. A number that is of limited use in a repeat is marked.
func (a *author) ranges(name string, percentiles ...float64) (string, error) {
	cells, err := a.cells(name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| target | messages a second |")
	for _, p := range percentiles {
		fmt.Fprintf(&b, " %s, ms |", words.Percentile(p))
	}
	b.WriteString(" CPU time of nodes for a message, µs |\n|---|---" + strings.Repeat("|---", len(percentiles)) + "|---|\n")
	for _, r := range rowsOf(cells) {
		beside := ""
		if r.store > 0 {
			beside = " beside " + words.Size(int(r.store))
		}
		fmt.Fprintf(&b, "| %s%s | %s |", r.target, beside, words.Count(int64(r.rate)))
		for _, p := range percentiles {
			fmt.Fprintf(&b, " %s |", r.percentile(p))
		}
		fmt.Fprintf(&b, " %s |\n", span(r.cpu, func(ns float64) string { return fmt.Sprintf("%.0f", ns/1000) }))
	}
	return b.String(), nil
}

// cells returns those of the newest run of a plan, by rate, in the order of its targets, and by the size of the store.
func (a *author) cells(name string) (cells []*results.Cell, err error) {
	dir, err := a.run1(name)
	if err != nil {
		return nil, err
	}
	store, err := results.Open(filepath.Join(a.dir, dir))
	if err != nil {
		return nil, err
	}
	run, err := store.Run()
	if err != nil {
		return nil, err
	}
	for _, entry := range run.Cells {
		c, err := store.Cell(entry.ID).Read()
		if err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	place := func(c *results.Cell) int {
		return slices.IndexFunc(run.Plan.Targets, func(t plan.Target) bool { return t.Name == c.Plan.Target.Name })
	}
	slices.SortStableFunc(cells, func(a, b *results.Cell) int {
		x, y := a.Plan.Shape, b.Plan.Shape
		return cmp.Or(cmp.Compare(x.Rate, y.Rate), cmp.Compare(place(a), place(b)), cmp.Compare(x.UntilStore, y.UntilStore))
	})
	return cells, nil
}

// rowsOf returns the rows of sorted cells. At each rate the floor comes first.
func rowsOf(cells []*results.Cell) (rows []*row) {
	of := func(target string, shape plan.Shape) *row {
		rate := float64(shape.Rate)
		for _, r := range rows {
			if r.target == target && r.rate == rate && r.store == shape.UntilStore {
				return r
			}
		}
		rows = append(rows, &row{target: target, rate: rate, store: shape.UntilStore})
		return rows[len(rows)-1]
	}
	for _, c := range cells {
		if c.Floor != nil {
			floor := of(c.Floor.What(), c.Plan.Shape)
			floor.responses = append(floor.responses, c.Floor.Echo.Response)
		}
		r := of(c.Plan.Target.Name, c.Plan.Shape)
		r.responses = append(r.responses, c.Response)
		if c.Cost != nil && c.Cost.NodesCPUNS != nil {
			r.cpu = append(r.cpu, *c.Cost.NodesCPUNS)
		}
	}
	return rows
}

// percentile returns the range of one percentile.
func (r *row) percentile(p float64) string {
	var values []time.Duration
	mark := ""
	for _, d := range r.responses {
		at, _ := d.At(p)
		v, known := at.Value()
		if !known {
			return "unknown"
		}
		if !at.Usable() {
			mark = "~"
		}
		values = append(values, v)
	}
	return mark + span(values, words.Millis)
}

// span writes the lowest and the highest of values.
func span[T cmp.Ordered](values []T, write func(T) string) string {
	if len(values) == 0 {
		return "-"
	}
	low, high := write(slices.Min(values)), write(slices.Max(values))
	if low == high {
		return low
	}
	return low + " to " + high
}

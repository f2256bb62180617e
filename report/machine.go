package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// JSON writes the run, its cells, and the summaries of repeats as one document:
// {"run": …, "cells": […], "summaries": […]}, with the schemas of run.json,
// cell.json and summary.json.
func JSON(w io.Writer, run results.Run, cells []*results.Cell, repeated []*results.Summary) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if cells == nil {
		cells = []*results.Cell{}
	}
	if repeated == nil {
		repeated = []*results.Summary{}
	}
	return encoder.Encode(struct {
		Run       results.Run        `json:"run"`
		Cells     []*results.Cell    `json:"cells"`
		Summaries []*results.Summary `json:"summaries"`
	}{run, cells, repeated})
}

// CSV writes a header and a row for each cell. Times are in nanoseconds; an
// unknown percentile is empty, and the column behind it says how many ops rank
// above.
func CSV(w io.Writer, cells []*results.Cell) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader()); err != nil {
		return err
	}
	for _, c := range cells {
		if err := out.Write(csvRow(c)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvHeader() []string {
	header := []string{
		"cell", "target", "product", "version", "rate_per_s", "reached_per_s", "size_bytes", "connections", "in_flight",
		"arrivals", "repeat", "due", "done", "failed", "lost", "unsent", "duplicate", "foreign", "corrupt",
	}
	for _, p := range results.Percentiles() {
		name := "response_p" + number(p)
		header = append(header, name+"_ns", name+"_above", name+"_low_ns", name+"_high_ns")
	}
	return append(header, "service_p99_ns", "lag_p99_ns", "floor_p50_ns", "floor_p99_ns", "floor_p99.9_ns",
		"hiccup_max_ns", "tail_seconds", "tail_seconds_with_hiccup", "process_cores", "machine_cores", "verdict", "problems", "slos")
}

func csvRow(c *results.Cell) []string {
	s, l := c.Plan.Shape, c.Ledger
	row := []string{
		c.ID, c.Plan.Target.Name, c.Broker.Product, c.Broker.Version, strconv.Itoa(s.Rate), number(c.ReachedPerS),
		strconv.Itoa(s.Size), strconv.Itoa(s.Connections), strconv.Itoa(s.InFlight), string(s.Arrivals), strconv.Itoa(c.Plan.Repeat),
	}
	for _, n := range []int64{l.Due, l.Done, l.Failed, l.Lost, l.Unsent, c.Strays.Duplicate, c.Strays.Foreign, c.Strays.Corrupt} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	for _, p := range results.Percentiles() {
		at, _ := c.Response.At(p)
		row = append(row, nanoseconds(at.ValueNS), strconv.FormatInt(at.SamplesAbove, 10), nanoseconds(at.LowNS), nanoseconds(at.HighNS))
	}
	service, _ := c.Service.At(99)
	lag, _ := c.Lag.At(99)
	row = append(row, nanoseconds(service.ValueNS), nanoseconds(lag.ValueNS))
	return append(append(row, csvTrust(c)...), string(c.Verdict), reasons(c), outcomes(c))
}

// csvTrust writes what may be in the numbers besides the broker; what is not
// known is empty.
func csvTrust(c *results.Cell) []string {
	fields := make([]string, 8)
	if c.Floor != nil {
		for i, p := range []float64{50, 99, 99.9} {
			at, _ := c.Floor.Echo.Response.At(p)
			fields[i] = nanoseconds(at.ValueNS)
		}
	}
	if c.Hiccup != nil {
		fields[3] = nanoseconds(&c.Hiccup.MaxNS)
	}
	if c.Tail != nil {
		fields[4], fields[5] = strconv.Itoa(c.Tail.Intervals), strconv.Itoa(c.Tail.WithHiccup)
	}
	if c.Usage != nil {
		fields[6] = number(c.Usage.Process.CPUCores)
		if c.Usage.Machine != nil {
			fields[7] = number(c.Usage.Machine.BusyCores)
		}
	}
	return fields
}

// reasons writes the problems in one field.
func reasons(c *results.Cell) string {
	texts := make([]string, len(c.Problems))
	for i, p := range c.Problems {
		texts[i] = fmt.Sprintf("%s (%s): %s", p.Code, p.Severity, p.Text)
	}
	return strings.Join(texts, "; ")
}

// nanoseconds writes a value, or nothing if it is unknown.
func nanoseconds(ns *int64) string {
	if ns == nil {
		return ""
	}
	return strconv.FormatInt(*ns, 10)
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

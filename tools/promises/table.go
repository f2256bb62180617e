//go:build linux

package main

import (
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// rows are the rows of a table.
type rows [][]string

// addLatencies adds a row for each broker: p50/p99 of acknowledgement and delivery at each
// rate.
func (r *rows) addLatencies(level requester.Durability, nodes int, cells []*results.Cell, said string) {
	for _, name := range names {
		row := []string{string(level), strconv.Itoa(nodes), name, "not measured"}
		for _, c := range cells {
			if c.Plan.Target.Name != name {
				continue
			}
			if len(row) == 4 {
				row = append(row[:3], version(c), backing(c))
			}
			row = append(row, pair(c.Ack), pair(&c.Response))
		}
		if len(row) == 4 {
			row[3] += ": " + said
		}
		*r = append(*r, row)
	}
}

func version(c *results.Cell) string {
	version, _, _ := strings.Cut(c.Broker.Version, " ")
	return c.Broker.Product + " " + version
}

// backing reports whether the broker backs the level.
func backing(c *results.Cell) string {
	switch b := c.Broker.Durability; {
	case b == nil:
		return "unknown"
	case len(b.NotVerified) > 0:
		return "not verified: " + strings.Join(b.NotVerified, "; ")
	default:
		return "yes"
	}
}

// pair writes p50 and p99 in milliseconds.
func pair(d *results.Distribution) string {
	if d == nil {
		return "–"
	}
	var texts []string
	for _, p := range []float64{50, 99} {
		at, _ := d.At(p)
		text := "?"
		if at.ValueNS != nil {
			text = milliseconds(*at.ValueNS)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "/")
}

// milliseconds writes a time with two digits, or all before the point.
func milliseconds(ns int64) string {
	ms := float64(ns) / 1e6
	if ms >= 100 {
		return strconv.FormatFloat(ms, 'f', 0, 64)
	}
	return strconv.FormatFloat(ms, 'g', 2, 64)
}

func latencyTable(r rows) string {
	return document.Table{Head: []string{
		"durability", "nodes", "broker", "version", "backed", "ack 500/s", "delivery 500/s", "ack 2,000/s", "delivery 2,000/s",
	}, Rows: r}.Markdown()
}

func lossTable(r rows) string {
	return document.Table{Head: []string{
		"durability", "nodes", "broker", "syncs per 1,000", "kill -9 of node 1", "data of node 1 deleted", "data of all nodes deleted",
	}, Rows: r}.Markdown()
}

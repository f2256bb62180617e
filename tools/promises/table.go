//go:build linux

package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
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

// addCrash adds a row of acknowledged and missing messages.
func (r *rows) addCrash(level requester.Durability, nodes int, name string, c *results.Cell, said string) {
	row := []string{string(level), strconv.Itoa(nodes), name}
	if c == nil {
		*r = append(*r, append(row, "not measured: "+said))
		return
	}
	row = append(row, ledger(c))
	if c.Audit == nil {
		*r = append(*r, append(row, "–", "–", "–", "not acknowledged"))
		return
	}
	a := c.Audit
	*r = append(*r, append(row, strconv.FormatInt(a.Acked, 10), strconv.FormatInt(a.Kept, 10), strconv.FormatInt(a.Missing, 10), answer(a)))
}

// ledger counts the messages of the window by their end.
func ledger(c *results.Cell) string {
	l := c.Ledger
	text := fmt.Sprintf("%d of %d", l.Done, l.Due)
	for _, part := range []struct {
		n    int64
		what string
	}{{l.Failed, "failed"}, {l.Lost, "lost"}, {l.Unsent, "unsent"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}

func answer(a *results.Audit) string {
	switch {
	case a.Error != "":
		return "unknown: " + a.Error
	case a.Missing > 0:
		return "LOST " + words.Plural(int(a.Missing), "message")
	}
	return "none lost"
}

func crashTable(r rows) string {
	return document.Table{Head: []string{
		"durability", "nodes", "broker", "delivered", "acknowledged", "in the store", "missing", "answer",
	}, Rows: r}.Markdown()
}

// forcedText shows the result of forced.
func forcedText(refused string, c *results.Cell, said string) string {
	text := "```\n$ brokerbench run redis://… --durability process\n" + refused + "\n```\n\n"
	if c == nil || c.Audit == nil {
		return text + "not measured: " + said + "\n"
	}
	return text + fmt.Sprintf("With `durability-check=false`, and kill -9: %d acknowledged, %d in the store, %d missing.\n", c.Audit.Acked, c.Audit.Kept, c.Audit.Missing)
}

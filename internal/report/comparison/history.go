package comparison

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/history"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
)

// History shows a line for each metric of each cell: its last value, a sparkline of
// the newest runs, and what changed when. As JSON it is the [history.History].
func History(h *history.History) *document.Document {
	var d document.Document
	head := []string{"metric", "runs", "last", fmt.Sprintf("newest %d runs", sparks), "answer"}
	var groups []document.Group
	for _, c := range h.Cells {
		group := document.Group{Title: historyTitle(c), Name: c.Title()}
		for _, m := range c.Metrics {
			group.Rows = append(group.Rows, metricRows(m)...)
		}
		groups = append(groups, group)
	}
	d.ShowGroups("cell", document.Table{Head: head, Align: "lrrl"}, groups)
	d.Note(historyNotes(h)...)
	d.Exact(historyTable(h), h)
	return &d
}

func historyTitle(c history.Cell) string {
	first, last := c.Runs[0].Started, c.Runs[len(c.Runs)-1].Started
	return fmt.Sprintf("%s: %s with a window of %v, %s to %s", c.Title(), words.Plural(len(c.Runs), "run"), time.Duration(c.DurationNS), format.Moment(first), format.Moment(last))
}

// metricRows returns a row for a metric, and one for each change but the last.
func metricRows(m history.Metric) (rows [][]string) {
	known, last := 0, "?"
	for _, v := range m.Values {
		if v != nil {
			known, last = known+1, quantity(m.Name, *v)
		}
	}
	row := []string{m.Name, fmt.Sprint(known), last, sparkline(m.Values), string(m.Answer)}
	if m.Answer == history.TooFew {
		row[4] += fmt.Sprintf(": %d, needs %d", known, history.Needed)
	}
	rows = append(rows, row)
	for i := len(m.Changes) - 1; i >= 0; i-- {
		text := changeText(m, m.Changes[i])
		if i == len(m.Changes)-1 {
			rows[0][4] = text
			continue
		}
		rows = append(rows, []string{"", "", "", "", text})
	}
	return rows
}

// changeText describes a change: "worse since 2026-11-12 03:00: 0.101 → 0.123 (×1.218), p 0.001".
func changeText(m history.Metric, c history.Change) string {
	word := direction(c)
	if c.Alarm {
		word = "WORSE"
	}
	text := fmt.Sprintf("%s since %s: %s → %s", word, format.Moment(c.Started), quantity(m.Name, c.Before), quantity(m.Name, c.After))
	if ratio := c.After / c.Before; isTime(m.Name) {
		text += " (×" + format.Factor(ratio) + ")"
	}
	return text + ", p " + probability(c.P)
}

func direction(c history.Change) string {
	if c.Worse {
		return "worse"
	}
	return "better"
}

func probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// isTime reports whether a metric is a response time, in nanoseconds, and not a part of 1.
func isTime(metric string) bool { return metric != "loss" && metric != "reached" }

// quantity writes a value of a metric: ms, or a percentage.
func quantity(metric string, v float64) string {
	if isTime(metric) {
		return words.Millis(time.Duration(v))
	}
	return fmt.Sprintf("%.4g %%", 100*v)
}

// historyNotes explains the answers, lists the differences at each change, and names what was
// left out.
func historyNotes(h *history.History) (lines []string) {
	lines = append(lines, "Response times are in ms; loss and reached are shares of the messages due. All repeats of a run together are one value. "+
		"A change is given with the medians before and after it. "+
		"p is how often a series without a change looks as changed.")
	if h.Judged > 0 {
		lines = append(lines, fmt.Sprintf("%d series were judged, each at %g %%: if nothing changed, one in 20 of them may still show a change.",
			h.Judged, 100*h.LeastP))
	}
	for _, c := range h.Cells {
		lines = append(lines, causes(c)...)
	}
	if names := h.Alarms(); len(names) > 0 {
		lines = append(lines, fmt.Sprintf("NEW CHANGE FOR THE WORSE, in the newest %d runs, and shown when all series are judged together: %s",
			h.Newest, strings.Join(names, ", ")))
	}
	for _, o := range h.LeftOut {
		lines = append(lines, fmt.Sprintf("left out: %s: %s", filepath.Base(o.Run), o.Reason))
	}
	return lines
}

// causes lists what else is different where something changed, once for each run.
func causes(c history.Cell) (lines []string) {
	said := make(map[int]bool)
	for _, m := range c.Metrics {
		for _, change := range m.Changes {
			if said[change.Run] || len(change.Differs) == 0 {
				continue
			}
			said[change.Run] = true
			differs := words.Join(change.Differs, "; ", compare.Difference.String)
			lines = append(lines, fmt.Sprintf("%s since %s (%s) differs: %s", c.Title(), format.Moment(change.Started), filepath.Base(change.Dir), differs))
		}
	}
	return lines
}

const sparks = 28

// sparkline draws the newest values, the lowest as ▁ and the highest as █, on a
// logarithmic scale where they are times. A run without a value is a dot.
func sparkline(values []*float64) string {
	values = values[max(0, len(values)-sparks):]
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != nil {
			low, high = math.Min(low, *v), math.Max(high, *v)
		}
	}
	part := func(v float64) float64 { // of the way from the lowest to the highest
		switch {
		case !(high > low*1.01): // less than 1 % is no picture
			return 0
		case low > 0:
			return math.Log(v/low) / math.Log(high/low)
		}
		return (v - low) / (high - low)
	}
	levels, line := []rune("▁▂▃▄▅▆▇█"), ""
	for _, v := range values {
		if v == nil {
			line += "·"
			continue
		}
		line += string(levels[min(int(part(*v)*float64(len(levels))), len(levels)-1)])
	}
	return line
}

// historyTable has a row for each value: a cell's metric in a run, and the change that
// begins there.
func historyTable(h *history.History) document.Table {
	type row struct {
		Cell   string
		Metric history.Metric
		Run    history.Run
		Value  *float64
		Word   string
		Change *history.Change
	}
	var rows []row
	for _, c := range h.Cells {
		for _, m := range c.Metrics {
			for i, v := range m.Values {
				r := row{Cell: c.ID, Metric: m, Run: c.Runs[i], Value: v}
				if at := slices.IndexFunc(m.Changes, func(c history.Change) bool { return c.Run == i }); at >= 0 {
					r.Change = &m.Changes[at]
					r.Word = direction(*r.Change)
				}
				rows = append(rows, r)
			}
		}
	}
	return document.Records(rows, "cell=Cell metric=Metric/Name answer=Metric/Answer run=Run/Dir started=Run/Started repeats=Run/Repeats value=Value",
		"change=Word before=Change/Before after=Change/After p=Change/P alarm=Change/Alarm")
}

package compare

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/results"
)

// head names the columns of a pair's rows.
func head() []string {
	return []string{"", "BASE ms", "NEW ms", "NEW/BASE", "interval", "answer"}
}

// lines returns the rows of a pair as text: percentiles, the maximum, and what
// became of the ops.
func (p Pair) lines() (lines [][]string) {
	for _, r := range p.Rows {
		base, next := millis(r.BaseNS), millis(r.NewNS)
		if r.Percentile == 100 {
			base, next = p.Base.max(), p.New.max()
		}
		lines = append(lines, []string{label(r.Percentile), base, next, r.ratio(), r.interval(), r.text()})
	}
	return append(lines, []string{"ops", report.Ledger(p.Base.Ledger), report.Ledger(p.New.Ledger), "", "", p.doubt()})
}

func millis(ns *int64) string {
	if ns == nil {
		return "?"
	}
	return words.Millis(time.Duration(*ns))
}

// max writes the longest response, with a mark if ops rank above it.
func (c Cells) max() string {
	switch text := words.Millis(time.Duration(c.MaxNS)); {
	case c.Ledger.Done == 0:
		return "?"
	case c.Ledger.Missing() > 0:
		return "≥" + text
	default:
		return text
	}
}

// ratio writes NEW/BASE, or "-" if it is not known.
func (r Row) ratio() string {
	if r.Ratio == nil {
		return "-"
	}
	return factor(*r.Ratio)
}

// interval writes the bounds of the ratio. A lower one that is not known is 0, as a
// ratio is not below.
func (r Row) interval() string {
	if r.Level == 0 {
		return "-"
	}
	low, high := "0", "∞"
	if r.Low != nil {
		low = factor(*r.Low)
	}
	if r.High != nil {
		high = factor(*r.High)
	}
	return low + "–" + high
}

// factor writes a ratio with four digits.
func factor(v float64) string {
	switch {
	case v < 10:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func (r Row) text() string {
	if r.Reason != "" {
		return string(r.Answer) + ": " + r.Reason
	}
	return string(r.Answer)
}

// doubt names the verdicts if they are not all good.
func (p Pair) doubt() string {
	var sides []string
	for _, side := range []struct {
		name    string
		verdict results.Verdict
	}{{"BASE", p.Base.Verdict}, {"NEW", p.New.Verdict}} {
		if side.verdict != results.Valid {
			sides = append(sides, side.name+" is "+strings.ToUpper(string(side.verdict)))
		}
	}
	return strings.Join(sides, ", ")
}

// name names the cells of a pair.
func (p Pair) name() string {
	if p.Base.ID == p.New.ID {
		return p.Base.ID
	}
	return p.Base.ID + " → " + p.New.ID
}

// runs says how often each side was measured.
func (p Pair) runs() string {
	return fmt.Sprintf("%s against %d", words.Plural(len(p.Base.IDs), "run"), len(p.New.IDs))
}

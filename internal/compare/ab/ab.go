// Package ab compares B with A, which were measured by turns, as pairs of runs. It
// decides which of a pair comes first, when there are enough pairs, and which
// differences they show: see [stats.LogRatios]. It measures nothing itself.
package ab

import (
	"fmt"
	"math"

	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// Schema is that of a Result in JSON.
const Schema = "brokerbench/ab/1"

// A Result holds the differences that pairs of runs show. It is the content of ab.json.
type Result struct {
	Schema     string   `json:"schema"` // Schema
	A          Side     `json:"a"`
	B          Side     `json:"b"`
	Seed       uint64   `json:"seed"`       // of the orders
	Confidence float64  `json:"confidence"` // the probability that no row says faster or slower if nothing differs
	Judged     int      `json:"judged"`     // how many rows were judged together
	Until      *float64 `json:"until"`      // the intervals should be as narrow as this, 0.05 is ±5 %; null: the number of pairs is fixed
	Narrow     bool     `json:"narrow"`     // they are as narrow as Until
	AtMostNS   int64    `json:"at_most_ns"` // the time limit; 0: none
	TookNS     int64    `json:"took_ns"`
	Cells      []Cell   `json:"cells"`
}

// A Side is one of the two sides, A or B.
type Side struct {
	Run string `json:"run"` // the plan as the user wrote it, without passwords
	Dir string `json:"dir"` // the folder of its run
}

// A Cell is one cell of A against one of B.
type Cell struct {
	A      string   `json:"a"`      // the IDs, without the number of a repeat
	B      string   `json:"b"`      //
	Pairs  int      `json:"pairs"`  // that are complete
	Orders []string `json:"orders"` // of each pair: AB if A was measured first, or BA
	Rows   []Row    `json:"rows"`
}

// A Row is one percentile.
type Row struct {
	Percentile float64 `json:"percentile"`
	// The percentiles of all runs of a side together; null: not comparable.
	ANS    *int64          `json:"a_ns"`
	BNS    *int64          `json:"b_ns"`
	Ratio  stats.PairRatio `json:"ratio"` // B/A, of each pair
	Answer Answer          `json:"answer"`
	Reason string          `json:"reason,omitempty"` // why it is not comparable
	// Odd lists the pairs that are set aside and far from the others.
	Odd []Odd `json:"odd,omitempty"`
	// Least is the smallest difference that these pairs would have shown: 0.05 is 5 %.
	// Null: unknown.
	Least *float64 `json:"least"`
	// Pairs10 is how many pairs a difference of 10 % takes; 0: not known, or above 10,000.
	Pairs10 int `json:"pairs_for_10_percent"`
}

// An Odd pair is set aside, and its ratio is far from the others.
type Odd struct {
	Pair  int     `json:"pair"`  // counted from 1
	Ratio float64 `json:"ratio"` // B/A
}

// An Answer compares B with A.
type Answer string

// The answers.
const (
	Faster        Answer = "B faster"
	Slower        Answer = "B slower"
	NoDifference  Answer = "no difference shown" // which does not mean: the same
	NotComparable Answer = "not comparable"
)

// A Pair is one cell, measured as A and as B shortly after each other.
type Pair struct {
	A, B  *results.Cell
	Order string // AB or BA
}

// Analyse judges the pairs of all cells, with all rows as one family. Every cell has at
// least one pair.
func (r *Result) Analyse(cells [][]Pair) {
	r.Schema, r.Confidence, r.Cells = Schema, stats.Confidence, nil
	var family []stats.LogRatios
	for _, list := range cells {
		cell, samples := analyse(list)
		cell.pool(list, samples)
		r.Cells, family = append(r.Cells, cell), append(family, samples...)
	}
	confidence := stats.Confidence
	if r.Until != nil {
		confidence = looking
	}
	judged := stats.JudgePairs(family, nil, confidence)
	r.Judged = 0
	for i := range r.Cells {
		for j := range r.Cells[i].Rows {
			row := &r.Cells[i].Rows[j]
			if row.Reason == "" && judged[0].Pairs > 1 {
				r.Judged++
			}
			row.answer(judged[0], family[0])
			judged, family = judged[1:], family[1:]
		}
	}
	r.Narrow = r.Until != nil && Narrow(cells, *r.Until)
}

// analyse returns a cell with its rows and their samples. The sample of a row that is not
// comparable is empty.
func analyse(list []Pair) (cell Cell, samples []stats.LogRatios) {
	first := list[0]
	cell = Cell{A: first.A.Plan.SharedID(), B: first.B.Plan.SharedID(), Pairs: len(list)}
	for _, p := range list {
		cell.Orders = append(cell.Orders, p.Order)
	}
	for _, percentile := range first.A.Plan.Settings.Asked() {
		row := Row{Percentile: percentile, Reason: reason(list, percentile)}
		var s stats.LogRatios
		if row.Reason == "" {
			a, b := values(list, percentile)
			s = stats.LogRatiosOf(a, b)
			for _, i := range s.Outliers() {
				row.Odd = append(row.Odd, Odd{i + 1, stats.Rounded(b[i] / a[i])})
			}
		}
		cell.Rows, samples = append(cell.Rows, row), append(samples, s)
	}
	return cell, samples
}

// values returns a percentile, which is known, of both sides.
func values(list []Pair, percentile float64) (a, b []float64) {
	for _, p := range list {
		x, _ := p.A.Response.At(percentile)
		y, _ := p.B.Response.At(percentile)
		a, b = append(a, float64(*x.ValueNS)), append(b, float64(*y.ValueNS))
	}
	return a, b
}

// pool sets the values of the rows that are comparable. Rows with too few messages above them
// are not.
func (c *Cell) pool(list []Pair, samples []stats.LogRatios) {
	var a, b []results.Distribution
	for _, p := range list {
		a, b = append(a, p.A.Response), append(b, p.B.Response)
	}
	allA, allB := results.Pooled(a), results.Pooled(b)
	for i := range c.Rows {
		row := &c.Rows[i]
		x, _ := allA.At(row.Percentile)
		y, _ := allB.At(row.Percentile)
		switch {
		case row.Reason != "":
		case x.TooFew() != "":
			row.Reason, samples[i] = "A"+x.TooFew(), nil
		case y.TooFew() != "":
			row.Reason, samples[i] = "B"+y.TooFew(), nil
		default:
			row.ANS, row.BNS = x.ValueNS, y.ValueNS
		}
	}
}

// reason returns why a percentile cannot be compared, or "". Leaving out bad pairs
// would favour the side that has them.
func reason(list []Pair, percentile float64) string {
	for i, p := range list {
		if text := doubt(p.A, percentile); text != "" {
			return fmt.Sprintf("A of pair %d%s", i+1, text)
		}
		if text := doubt(p.B, percentile); text != "" {
			return fmt.Sprintf("B of pair %d%s", i+1, text)
		}
	}
	return ""
}

func doubt(c *results.Cell, percentile float64) string {
	switch {
	case c.Verdict == results.Invalid:
		return " is INVALID"
	case c.Interrupted:
		return " was interrupted"
	}
	row, _ := c.Response.At(percentile)
	return row.NoValue()
}

func (r *Row) answer(j stats.PairRatio, s stats.LogRatios) {
	if r.Ratio = j; r.Reason != "" {
		r.Answer = NotComparable
		return
	}
	if (*r.BNS-*r.ANS)*int64(j.Shown) < 0 {
		r.Ratio.Shown = 0 // the pairs contradict all of them together
	}
	switch {
	case r.Ratio.Shown > 0:
		r.Answer = Slower
	case r.Ratio.Shown < 0:
		r.Answer = Faster
	default:
		r.Answer = NoDifference
	}
	if j.Level > 0 {
		r.Least = new(stats.Rounded(math.Expm1(s.HalfWidth(j.Level))))
		r.Pairs10, _ = s.PairsFor(0.1, j.Level)
	}
}

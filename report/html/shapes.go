package html

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A shape is a load, the targets that were measured under it, and what that says.
type shape struct {
	Name      string   `json:"name"`      // as folders name it
	Targets   []series `json:"targets"`   // the lowest p99 first, those whose p99 is unknown last
	Sentences []string `json:"sentences"` // what can be told apart, and what cannot

	shape plan.Shape
}

// A series is one target with one shape in one run: all of its repeats together.
type series struct {
	Run     int   `json:"run"`                // in document.Runs
	Cells   []int `json:"cells"`              // the repeats, in document.Cells
	FloorNS int64 `json:"floor_ns,omitempty"` // p99 of the slowest floor of the repeats; 0: not measured

	// Absent of a single repeat, whose own numbers stand for it.
	*pooled
}

// A pooled is what the repeats of a series say together.
type pooled struct {
	Verdict  results.Verdict     `json:"verdict"` // the worst of theirs
	Reached  float64             `json:"reached"` // the lowest of theirs
	Ledger   results.Ledger      `json:"ledger"`  // the sum of theirs
	Response map[string]quantile `json:"response"`
	Service  map[string]quantile `json:"service"` // p99 alone
	MaxNS    int64               `json:"max_ns"`  // the longest reply of all
}

// shapesOf groups what was measured; cells has nil for a cell that was not.
func (d *document) shapesOf(cells []*results.Cell) (list []shape) {
	for i, c := range cells {
		if c == nil {
			continue
		}
		asked := c.Plan.Shape
		asked.Arrivals = cmp.Or(asked.Arrivals, schedule.Constant)
		at := slices.IndexFunc(list, func(s shape) bool { return s.shape == asked })
		if at < 0 {
			at, list = len(list), append(list, shape{Name: asked.String(), shape: asked})
		}
		list[at].add(d.Cells, i)
	}
	for i := range list {
		for k := range list[i].Targets {
			list[i].Targets[k].pool(cells)
		}
		slices.SortStableFunc(list[i].Targets, func(a, b series) int {
			return cmp.Compare(d.p99(a), d.p99(b))
		})
	}
	return list
}

// add adds a cell to the series of its target and run.
func (s *shape) add(rows []row, cell int) {
	at := slices.IndexFunc(s.Targets, func(t series) bool {
		first := rows[t.Cells[0]]
		return first.Run == rows[cell].Run && first.Target == rows[cell].Target
	})
	if at < 0 {
		at, s.Targets = len(s.Targets), append(s.Targets, series{Run: rows[cell].Run})
	}
	s.Targets[at].Cells = append(s.Targets[at].Cells, cell)
}

// p99 returns the p99 of a series, above every other if it is unknown.
func (d *document) p99(s series) int64 {
	q := d.Cells[s.Cells[0]].Response["99"]
	if s.pooled != nil {
		q = s.Response["99"]
	}
	if q.NS == nil {
		return math.MaxInt64
	}
	return *q.NS
}

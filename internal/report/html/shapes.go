package html

import (
	"cmp"
	"slices"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A shape is a load, the targets that were measured under it, and what that says.
type shape struct {
	Name      string     `json:"name"`      // as folders name it
	Targets   []series   `json:"targets"`   // in the order of the answer, of all runs together
	Sentences []sentence `json:"sentences"` // what can be told apart, and what cannot

	shape plan.Shape
}

// A sentence is about the targets of one run.
type sentence struct {
	Run  int    `json:"run"`
	Text string `json:"text"`
}

// A series is one target with one shape in one run: all of its repeats together.
type series struct {
	Run     int   `json:"run"`                // in document.Runs
	Cells   []int `json:"cells"`              // the repeats, in document.Cells
	FloorNS int64 `json:"floor_ns,omitempty"` // p99 of the slowest floor of the repeats; 0: not measured

	// Absent of a single repeat, whose own numbers stand for it.
	*numbers

	rank float64 // what the answer sorts by
}

// addAnswer adds what the last run tells: cells are all of it, nil for those that were
// not measured, and their rows are the last ones.
func (d *document) addAnswer(r results.Run, cells []*results.Cell) {
	first, known := len(d.Cells)-len(cells), make(map[string]int)
	var measured []*results.Cell
	for i, c := range cells {
		if c != nil {
			known[c.ID], measured = i, append(measured, c)
		}
	}
	a := answer.Of(r, measured)
	last := &d.Runs[len(d.Runs)-1]
	last.Belief, last.Causes = a.Belief, a.Belief.Lines()
	for _, told := range a.Shapes {
		s := d.shapeOf(told.Shape)
		for _, text := range slices.Concat(told.Faults, told.Causes, told.Sentences) {
			s.Sentences = append(s.Sentences, sentence{len(d.Runs) - 1, text})
		}
		for _, t := range told.Targets {
			one := series{Run: len(d.Runs) - 1, rank: t.Rank(told.By)}
			var repeats []*results.Cell
			for _, id := range t.Cells {
				one.Cells, repeats = append(one.Cells, first+known[id]), append(repeats, cells[known[id]])
			}
			for _, id := range t.LeftOut { // a row, and in no number
				one.Cells = append(one.Cells, first+known[id])
			}
			one.FloorNS = floorOf(repeats)
			if len(one.Cells) > 1 {
				one.numbers = new(newNumbers(repeats, t.Verdict, t.Reached, t.Ledger))
			}
			s.Targets = append(s.Targets, one)
		}
		slices.SortStableFunc(s.Targets, func(a, b series) int { return cmp.Compare(a.rank, b.rank) })
	}
}

// shapeOf returns the shape, which several runs may have.
func (d *document) shapeOf(asked plan.Shape) *shape {
	i := slices.IndexFunc(d.Shapes, func(s shape) bool { return s.shape == asked })
	if i < 0 {
		i, d.Shapes = len(d.Shapes), append(d.Shapes, shape{Name: asked.String(), Sentences: []sentence{}, shape: asked})
	}
	return &d.Shapes[i]
}

// floorOf returns p99 of the echoes of all repeats together; 0 if none was measured.
func floorOf(cells []*results.Cell) int64 {
	d, _ := answer.Merged(cells, answer.Floor)
	row, _ := d.At(99)
	p99, _ := row.Value()
	return int64(p99)
}

package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A Ladder is the cells that differ in nothing but their rate, by rate.
type Ladder struct {
	Name  string
	Cells []*results.Cell
}

// Ladders finds them among sources: cells of the same target, shape and repeat.
// Cells that are alone are left out, and told. Common is what all ladders have in
// common.
func Ladders(sources []source.Source) (ladders []Ladder, common string, alone []string, err error) {
	groups := make(map[string][]source.Source)
	var keys []string
	for _, s := range sources {
		if s.Cell == nil {
			return nil, "", nil, fmt.Errorf("%s: %w: a file does not say at which rate it was measured (want the folder of a run or of cells)", s.Path, ErrInput)
		}
		key := keyOf(s)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], s)
	}
	var firsts []source.Source
	for _, key := range keys {
		if group := groups[key]; len(group) > 1 {
			firsts, ladders = append(firsts, rateless(group[0])), append(ladders, ladderOf(group))
		} else {
			alone = append(alone, group[0].Name()+": no other cell differs from it in rate only")
		}
	}
	if len(ladders) == 0 {
		return nil, "", nil, fmt.Errorf("%w: no two of %d cells differ in their rate only (measure some, such as with --rate 1k..16k*2)", ErrInput, len(sources))
	}
	names, common := source.Names(firsts)
	for i, name := range names {
		ladders[i].Name = name
	}
	return ladders, common, alone, nil
}

// keyOf is the same for cells that differ in nothing but the rate.
func keyOf(s source.Source) string {
	p := s.Cell.Plan
	p.Shape.Rate = 0
	return fmt.Sprintf("%s|%s|%v|%v|%d", s.Run, p.Target.URL, p.Target.Name, p.Shape, p.Repeat)
}

// rateless returns a source that is named without its rate.
func rateless(s source.Source) source.Source {
	c := *s.Cell
	c.Plan.Shape.Rate = 0
	s.Cell = &c
	return s
}

func ladderOf(group []source.Source) (l Ladder) {
	for _, s := range group {
		l.Cells = append(l.Cells, s.Cell)
	}
	slices.SortStableFunc(l.Cells, func(a, b *results.Cell) int { return cmp.Compare(a.Plan.Shape.Rate, b.Plan.Shape.Rate) })
	return l
}

// rungs are the percentiles of a ladder.
func rungs() []float64 { return []float64{50, 99, 99.9} }

// Rate draws p50, p99 and p99.9 of response times by the rate that was due. A
// percentile that missing messages make unknown is not drawn; a dot is hollow
// where fewer than [histogram.MinAbove] samples rank above; a bar is the 95 %
// confidence.
func Rate(ladders []Ladder, subtitle string, o Options) (*Chart, error) {
	if n := len(palette()); len(ladders) > n {
		return nil, fmt.Errorf("%w: %d groups of cells: only %d can be told apart (name fewer cells)", ErrInput, len(ladders), n)
	}
	body := panel{yTitle: "Response time (ms)", height: 430}
	var err error
	if body.x, body.y, err = rateAxes(ladders, o.Log); err != nil {
		return nil, err
	}
	p := picture{title: "Response time by rate", subtitle: subtitle, xTitle: "Rate (messages/s that were due)"}
	for i, l := range ladders {
		for j, percentile := range rungs() {
			style := rungStyle(i, j, len(ladders))
			body.marks = append(body.marks, l.marks(percentile, style)...)
		}
	}
	p.panels, p.names, p.keys = []panel{body}, rateNames(ladders), append(rateKeys(ladders), verdicts(ladders)...)
	p.together = len(rungs())
	return newChart(p, o)
}

// rungStyle returns a pattern for each percentile, and a colour for each ladder,
// or if there is only one for each percentile.
func rungStyle(ladder, rung, ladders int) draw.LineStyle {
	i := ladder
	if ladders == 1 {
		i = rung
	}
	return dashed(palette()[i], lineWidth, dashes()[rung])
}

func rateNames(ladders []Ladder) (names []entry) {
	for i, l := range ladders {
		for j, percentile := range rungs() {
			names = append(names, entry{text: fmt.Sprintf("%s p%v", l.Name, percentile), style: rungStyle(i, j, len(ladders))})
		}
	}
	return names
}

// marks returns the line of a percentile, broken where it is unknown, its dots and
// its confidence.
func (l Ladder) marks(percentile float64, style draw.LineStyle) (drawn []mark) {
	var points []xy
	var signs []mark
	for _, c := range l.Cells {
		row, _ := c.Response.At(percentile)
		v, known := row.Value()
		if !known {
			drawn, points = append(drawn, line{points, style}), nil
			continue
		}
		at := xy{float64(c.Plan.Shape.Rate), millis(v)}
		points = append(points, at)
		if low, high, ok := confidence(row); ok {
			bar := thin(style)
			bar.Dashes = nil
			signs = append(signs, line{[]xy{{at.x, millis(low)}, {at.x, millis(high)}}, bar})
		}
		signs = append(signs, dots{[]xy{at}, shapeOf(row, c), style.Color})
	}
	return append(append(drawn, line{points, style}), signs...)
}

// shapeOf returns how much a point can be trusted.
func shapeOf(row results.Percentile, c *results.Cell) shape {
	switch {
	case c.Verdict == results.Invalid:
		return cross
	case row.SamplesAbove < histogram.MinAbove:
		return hollow
	}
	return full
}

// confidence returns both ends, if they are known.
func confidence(row results.Percentile) (low, high time.Duration, ok bool) {
	if row.LowNS == nil || row.HighNS == nil {
		return 0, 0, false
	}
	return time.Duration(*row.LowNS), time.Duration(*row.HighNS), true
}

// rateAxes returns axes that hold all of the ladders. Where rates differ much, one
// that doubles is as far away wherever it is.
func rateAxes(ladders []Ladder, logY bool) (x, y axis, err error) {
	from, to, values := math.Inf(1), 0.0, newExtent()
	for _, l := range ladders {
		for _, c := range l.Cells {
			rate := float64(c.Plan.Shape.Rate)
			from, to = math.Min(from, rate), math.Max(to, rate)
			for _, p := range rungs() {
				row, _ := c.Response.At(p)
				if v, known := row.Value(); known {
					values.add(v)
				}
				if low, high, ok := confidence(row); ok {
					values.add(low, high)
				}
			}
		}
	}
	x = linear(0, to, 8, true)
	if to/from >= 8 {
		x = logarithmic(from, to)
	}
	y, err = values.axis(logY)
	return x, y, err
}

// verdicts names the cells that are not valid.
func verdicts(ladders []Ladder) (keys []entry) {
	for _, verdict := range []results.Verdict{results.Invalid, results.Suspect} {
		var cells []string
		n := 0
		for _, l := range ladders {
			n += len(l.Cells)
			for _, c := range l.Cells {
				if c.Verdict == verdict {
					cells = append(cells, fmt.Sprintf("%s at %d/s", l.Name, c.Plan.Shape.Rate))
				}
			}
		}
		text := strings.ToUpper(string(verdict)) + ": " + strings.Join(cells, ", ")
		if len(cells) == n {
			text = strings.ToUpper(string(verdict)) + ": every cell"
		}
		if len(cells) > 0 {
			keys = append(keys, entry{text: text, bare: true})
		}
	}
	return keys
}

// rateKeys explains the signs that are drawn, and no others.
func rateKeys(ladders []Ladder) (keys []entry) {
	ring, wrong := hollow, cross
	var few, invalid, unknown, bars bool
	for _, l := range ladders {
		for _, c := range l.Cells {
			for _, p := range rungs() {
				row, _ := c.Response.At(p)
				_, known := row.Value()
				_, _, ok := confidence(row)
				unknown, bars = unknown || !known, bars || ok
				invalid = invalid || known && c.Verdict == results.Invalid
				few = few || known && c.Verdict != results.Invalid && row.SamplesAbove < histogram.MinAbove
			}
		}
	}
	explain := func(used bool, e entry) {
		if used {
			keys = append(keys, e)
		}
	}
	explain(bars, entry{text: "vertical bars: 95 % confidence", bare: true})
	explain(few, entry{text: fmt.Sprintf("fewer than %d samples above", histogram.MinAbove), dot: &ring})
	explain(invalid, entry{text: "the cell is INVALID", dot: &wrong})
	explain(unknown, entry{text: "no dot: unknown, messages are missing", bare: true})
	return keys
}

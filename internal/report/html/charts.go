package html

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan"
)

// A chart is a picture of some cells. Package plot draws it; the page shows it in a section
// as long as one of its cells is in the table.
type chart struct {
	Section string `json:"section"`
	Variant string `json:"variant"` // what sets it apart from others of the same cells
	Cells   []int  `json:"cells"`   // in document.Cells

	draw func() (*plot.Chart, error)
	blob string // of what draw returns; "" if there is nothing to draw
}

// The most lines of a chart whose shapes have one target, and the most bars of one of probes.
const (
	mostCurves = 8
	mostStacks = 20
)

// drawings returns the charts of the page, which are not drawn yet. The sources are those of
// document.Cells.
func (d *document) drawings(sources []source.Source, options plot.Options) (list []chart) {
	var all []series
	var shapes [][]series
	for _, s := range d.Shapes {
		all, shapes = append(all, s.Targets...), append(shapes, s.Targets)
	}
	if len(all) == len(shapes) { // a single target
		shapes = slices.Collect(slices.Chunk(all, mostCurves))
	}
	for _, of := range shapes {
		for _, tag := range []string{source.Response, source.Service} {
			c := newChart("percentiles", tag, of)
			c.draw = func() (*plot.Chart, error) { return drawCurves(groupsOf(of, sources), tag, options) }
			list = append(list, c)
		}
	}
	list = append(list, stacks(all, sources, options)...)
	return append(list, d.rates(all, sources, options)...)
}

func newChart(section, variant string, of []series) chart {
	c := chart{Section: section, Variant: variant}
	for _, s := range of {
		c.Cells = append(c.Cells, s.Cells...)
	}
	return c
}

// groupsOf returns the sources of each series, which are repeats.
func groupsOf(list []series, sources []source.Source) (groups [][]source.Source) {
	for _, s := range list {
		var repeats []source.Source
		for _, number := range s.Cells {
			repeats = append(repeats, sources[number])
		}
		groups = append(groups, repeats)
	}
	return groups
}

// each calls add with the sources and the name of each group, and returns what the names have in
// common. Groups whose files are gone, or that have no value of a tag, are left out.
func each(groups [][]source.Source, add func(repeats []source.Source, name string) error) (common string, err error) {
	names, common := input.Names(groups)
	for i, repeats := range groups {
		err := add(repeats, names[i])
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, source.ErrTag) {
			return "", err
		}
	}
	return common, nil
}

// drawCurves draws a line for each group.
func drawCurves(groups [][]source.Source, tag string, o plot.Options) (*plot.Chart, error) {
	var curves []input.Curve
	common, err := each(groups, func(repeats []source.Source, name string) error {
		c, err := input.NewCurve(repeats, tag, name)
		if err == nil {
			curves = append(curves, c)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return plot.Percentiles(curves, common, o)
}

// stacks returns the charts of probes, if there is more to show than lag and response, which
// are everywhere.
func stacks(all []series, sources []source.Source, o plot.Options) (list []chart) {
	if !slices.ContainsFunc(sources, func(s source.Source) bool { return s.Cell != nil && (s.Cell.Published != nil || s.Cell.Ack != nil) }) {
		return nil
	}
	for of := range slices.Chunk(all, mostStacks) {
		for _, percentile := range []float64{99, 50, 99.9, 100} {
			c := newChart("probes", words.Percentile(percentile), of)
			c.draw = func() (*plot.Chart, error) { return drawStacks(groupsOf(of, sources), percentile, o) }
			list = append(list, c)
		}
	}
	return list
}

// drawStacks draws a bar for each group.
func drawStacks(groups [][]source.Source, percentile float64, o plot.Options) (*plot.Chart, error) {
	var stacks []input.Stack
	common, err := each(groups, func(repeats []source.Source, name string) error {
		s, err := input.NewStack(repeats, name)
		if err == nil {
			stacks = append(stacks, s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return plot.Stacks(stacks, percentile, common, o)
}

// rates returns a chart for each set of shapes that differ only in their rate.
func (d *document) rates(all []series, sources []source.Source, o plot.Options) (list []chart) {
	cell := func(s series) row { return d.Cells[s.Cells[0]] }
	rateless := func(s series) plan.Shape {
		shape := cell(s).Shape
		shape.Rate = 0
		return shape
	}
	for _, alike := range group.By(all, rateless) {
		alone := func(s series) bool {
			return !slices.ContainsFunc(alike, func(other series) bool {
				a, b := cell(s), cell(other)
				return a.Run == b.Run && a.Target == b.Target && a.Rate != b.Rate
			})
		}
		of := slices.DeleteFunc(slices.Clone(alike), alone)
		if len(of) == 0 {
			continue
		}
		c := newChart("rates", "", of)
		c.draw = func() (*plot.Chart, error) {
			ladders, common, _, err := input.Ladders(slices.Concat(groupsOf(of, sources)...))
			if err != nil {
				return nil, err
			}
			return plot.Rate(ladders, common, o)
		}
		list = append(list, c)
	}
	return list
}

// inline returns a chart as an element of the page: an SVG. It is "" if there is nothing to draw,
// or too much for one chart.
func inline(c *plot.Chart, err error) (string, error) {
	switch {
	case errors.Is(err, input.ErrInput) || errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	return c.Inline()
}

// drawnBlob returns a chart as the page unpacks it: base64 of deflate of the SVG.
func drawnBlob(c *plot.Chart, err error) (string, error) {
	svg, err := inline(c, err)
	if svg == "" || err != nil {
		return "", err
	}
	return deflate([]byte(svg))
}

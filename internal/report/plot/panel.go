package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A panel is one pair of axes and the data between them.
type panel struct {
	name   string // of the data, if the title does not say it
	yTitle string
	x, y   axis
	marks  []mark
	ends   []end // the names of lines
	height int   // in pixels, unless the chart's height was asked for
	bare   bool  // the x axis has no labels: there is a panel below, which has them
	inner  bool  // the y axis has neither labels nor a title: there is a panel to the left, which has them
}

// A mark draws data. At maps values to points.
type mark interface {
	draw(c *draw.Canvas, at func(xy) vg.Point, k inks)
}

// An xy is a point in units of the axes.
type xy struct{ x, y float64 }

// A line connects points.
type line struct {
	points []xy
	style  draw.LineStyle
}

func (l line) draw(c *draw.Canvas, at func(xy) vg.Point, _ inks) {
	c.StrokeLines(l.style, c.ClipLinesXY(each(l.points, at))...)
}

// An area is filled.
type area struct {
	points []xy
	fill   color.Color
}

func (a area) draw(c *draw.Canvas, at func(xy) vg.Point, _ inks) {
	c.FillPolygon(a.fill, c.ClipPolygonXY(each(a.points, at)))
}

// dots are single points: full; hollow where few samples rank above; a cross where
// everything beyond is unknown.
type dots struct {
	points []xy
	shape  shape
	color  color.Color
}

type shape int

const (
	none shape = iota
	full
	hollow
	cross
	speck // a small one
)

// dotRadius is in pixels.
const dotRadius = 3.4

func (d dots) draw(c *draw.Canvas, at func(xy) vg.Point, k inks) {
	for _, p := range each(d.points, at) {
		if c.Contains(p) {
			dot(c, p, d.shape, d.color, k)
		}
	}
}

// dot draws one dot. A hollow one is filled with paper, so that the line does not run
// through it.
func dot(c *draw.Canvas, p vg.Point, s shape, ink color.Color, k inks) {
	r := vg.Length(dotRadius * px)
	if s == speck {
		r /= 2
	}
	edge := dashed(ink, 1.4, nil)
	if s == cross {
		c.StrokeLine2(edge, p.X-r, p.Y-r, p.X+r, p.Y+r)
		c.StrokeLine2(edge, p.X-r, p.Y+r, p.X+r, p.Y-r)
		return
	}
	var circle vg.Path
	circle.Move(vg.Point{X: p.X + r, Y: p.Y})
	circle.Arc(p, r, 0, 2*math.Pi)
	circle.Close()
	c.SetColor(ink)
	if s == hollow {
		c.SetColor(k.paper)
	}
	c.Fill(circle)
	c.SetLineStyle(edge)
	c.Stroke(circle)
}

func each(points []xy, at func(xy) vg.Point) []vg.Point {
	mapped := make([]vg.Point, len(points))
	for i, p := range points {
		mapped[i] = at(p)
	}
	return mapped
}

// draw draws the axes and the data into a canvas that is the area of the data;
// titles and labels lie around it.
func (p panel) draw(c draw.Canvas, t typeface) {
	at := func(v xy) vg.Point { return vg.Point{X: c.X(p.x.at(v.x)), Y: c.Y(p.y.at(v.y))} }
	p.grid(&c, t)
	for _, m := range p.marks {
		m.draw(&c, at, t.inks)
	}
	c.StrokeLine2(dashed(t.grey, 1, nil), c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	if !p.inner {
		c.FillText(t.small, vg.Point{X: c.Min.X, Y: c.Max.Y + 7*px}, p.yTitle)
	}
	label := t.bold
	label.XAlign, label.YAlign = draw.XRight, draw.YBottom
	c.FillText(label, vg.Point{X: c.Max.X, Y: c.Max.Y + 7*px}, clip(label, p.name, c.Max.X-c.Min.X-t.small.Width(p.yTitle)))
	p.names(&c, t)
}

// labelSpace is how far apart the labels of a y axis are at least, in pixels.
const labelSpace = 13

// grid draws the lines and labels of the ticks.
func (p panel) grid(c *draw.Canvas, t typeface) {
	rule, labelled := dashed(t.faint, 1, nil), math.Inf(-1)
	for _, tick := range p.y.ticks {
		y := c.Y(p.y.at(tick.value))
		c.StrokeLine2(rule, c.Min.X, y, c.Max.X, y)
		if p.inner || tick.label == "" || math.Abs(float64(y)-labelled) < float64(labelSpace*px) {
			continue
		}
		labelled = float64(y)
		style := t.small
		style.XAlign, style.YAlign = draw.XRight, middle
		c.FillText(style, vg.Point{X: c.Min.X - 6*px, Y: y}, tick.label)
	}
	for _, tick := range p.x.ticks {
		x := c.X(p.x.at(tick.value))
		c.StrokeLine2(rule, x, c.Min.Y, x, c.Max.Y)
		if p.bare {
			continue
		}
		c.StrokeLine2(dashed(t.grey, 1, nil), x, c.Min.Y, x, c.Min.Y-4*px)
		style := t.small
		style.XAlign, style.YAlign = draw.XCenter, below
		c.FillText(style, vg.Point{X: x, Y: c.Min.Y - 6*px}, tick.label)
	}
}

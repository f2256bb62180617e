package plot

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A picture is the content of a chart, without sizes.
type picture struct {
	title, subtitle string
	panels          []panel // in rows, sharing their x axis
	columns         int     // of panels; 0 is 1
	xTitle          string
	names, keys     []entry // the legend: what is shown, and what the signs mean
	inks            inks
}

// rows returns the panels beside each other. Panels of a row are of one height.
func (p picture) rows() [][]panel {
	return slices.Collect(slices.Chunk(p.panels, max(p.columns, 1)))
}

// height is that of the rows, in pixels.
func (p picture) height() (sum int) {
	for _, row := range p.rows() {
		sum += row[0].height
	}
	return sum
}

// The rooms around panels, in pixels. The legend lies below the data, never on
// it.
const (
	margin     = 16
	titleRoom  = 24
	textRoom   = 18 // a line of text
	panelTop   = 28 // the y axis' title
	panelGap   = 22 // below a bare panel
	labelRoom  = 24 // the labels of the x axis
	leastPanel = 60
	columnGap  = 24 // between panels beside each other, and entries of the legend
)

// A layout places a picture on a canvas.
type layout struct {
	picture picture
	text    typeface
}

// surround returns the height of all that is not panels.
func (l layout) surround(width vg.Length) vg.Length {
	h := margin*2 + titleRoom
	if l.picture.subtitle != "" {
		h += textRoom
	}
	for _, row := range l.picture.rows() {
		h += panelTop + bottom(row)
	}
	h += textRoom + 6 // the x axis' title
	return vg.Length(h)*px + l.legend(width).height()
}

// bottom is the room below a row.
func bottom(row []panel) int {
	if slices.ContainsFunc(row, func(p panel) bool { return !p.bare }) {
		return labelRoom
	}
	return panelGap
}

func (l layout) legend(width vg.Length) legend {
	return newLegend(l.picture.names, l.picture.keys, width-2*margin*px, l.text)
}

// draw draws everything, from the top.
func (l layout) draw(c draw.Canvas) {
	c.SetColor(l.text.paper)
	c.Fill(c.Path())
	inner := draw.Crop(c, margin*px, -margin*px, margin*px, -margin*px)
	room := c.Max.Y - c.Min.Y - l.surround(c.Max.X-c.Min.X)
	y := inner.Max.Y
	y = l.write(inner, l.text.title, l.picture.title, y, titleRoom)
	if l.picture.subtitle != "" {
		y = l.write(inner, l.text.small, l.picture.subtitle, y, textRoom)
	}
	left, right := l.left(), l.right()
	columns := vg.Length(max(l.picture.columns, 1))
	width := (inner.Max.X - inner.Min.X - left - (columns-1)*columnGap*px) / columns
	for _, row := range l.picture.rows() {
		height := room * vg.Length(row[0].height) / vg.Length(l.picture.height())
		y -= panelTop * px
		for i, p := range row {
			area := inner
			area.Min.X += left + vg.Length(i)*(width+columnGap*px)
			area.Max.X = area.Min.X + width - right
			area.Max.Y, area.Min.Y = y, y-height
			p.draw(area, l.text)
		}
		y -= height + vg.Length(bottom(row))*px
	}
	x := l.text.small
	x.XAlign, x.YAlign = draw.XCenter, below
	c.FillText(x, vg.Point{X: (inner.Min.X + left + inner.Max.X - right) / 2, Y: y}, l.picture.xTitle)
	y -= (textRoom + 6) * px
	l.legend(c.Max.X-c.Min.X).draw(inner, y)
}

// write writes a line of text below y, cut where it does not fit, and returns
// where the next may begin.
func (l layout) write(c draw.Canvas, style draw.TextStyle, text string, y vg.Length, room int) vg.Length {
	style.YAlign = below
	c.FillText(style, vg.Point{X: c.Min.X, Y: y}, clip(style, text, c.Max.X-c.Min.X))
	return y - vg.Length(room)*px
}

// left is the room for the labels of every y axis: the panels begin at the same x.
func (l layout) left() (widest vg.Length) {
	for _, p := range l.picture.panels {
		for _, t := range p.y.ticks {
			widest = max(widest, l.text.small.Width(t.label))
		}
	}
	return widest + 8*px
}

// right is the room for the names of lines, or for half a label of the x axis.
func (l layout) right() (widest vg.Length) {
	for _, p := range l.picture.panels {
		for _, e := range p.ends {
			widest = max(widest, endGap*px+otherFont*l.text.small.Width(e.name))
		}
		for _, t := range p.x.ticks {
			if p.x.at(t.value) > 0.95 {
				widest = max(widest, l.text.small.Width(t.label)/2)
			}
		}
	}
	return widest
}

// clip cuts a text to a width.
func clip(style draw.TextStyle, text string, width vg.Length) string {
	if style.Width(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && style.Width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

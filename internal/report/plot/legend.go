package plot

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/results"
)

// An entry of a legend is a sign and its meaning, or a remark without a sign.
type entry struct {
	text  string
	style draw.LineStyle // of a line; without a width there is none
	dot   shape
	band  color.Color // of a filled area
	minor bool        // it explains a sign: its text is grey
}

// explain appends an entry for a sign that is used.
func explain(keys *[]entry, used bool, e entry) {
	if used {
		*keys = append(*keys, e)
	}
}

// The sizes of a legend, in pixels.
const (
	signWidth = 34
	signGap   = 8
)

// A legend has rows of entries: first the names, then the keys.
type legend struct {
	text typeface
	rows [][]entry
}

// newLegend lays out a legend.
func newLegend(names, keys []entry, width vg.Length, t typeface) legend {
	l := legend{text: t}
	for i := range keys {
		keys[i].minor = true
	}
	l.rows = append(l.wrap(names, width), l.wrap(keys, width)...)
	return l
}

// otherFont is how much wider text may be where an SVG is shown without our font.
const otherFont = 1.15

// room returns the width of an entry.
func (l legend) room(e entry) vg.Length {
	return e.sign() + columnGap*px + otherFont*l.text.normal.Width(e.text)
}

// sign returns the width of the sign and the gap behind it.
func (e entry) sign() vg.Length {
	if e.style.Width == 0 && e.dot == none && e.band == nil {
		return 0
	}
	return (signWidth + signGap) * px
}

// wrap breaks entries into rows. The last of a row needs no gap behind it.
func (l legend) wrap(entries []entry, width vg.Length) (rows [][]entry) {
	used := width
	for _, e := range entries {
		if used+l.room(e)-columnGap*px > width+0.01 {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += l.room(e)
	}
	return rows
}

func (l legend) height() vg.Length { return vg.Length(len(l.rows)*textRoom) * px }

// draw draws the legend below y.
func (l legend) draw(c draw.Canvas, y vg.Length) {
	for _, row := range l.rows {
		x := c.Min.X
		for _, e := range row {
			l.entry(c, e, x, y)
			x += l.room(e)
		}
		y -= textRoom * px
	}
}

func (l legend) entry(c draw.Canvas, e entry, x, y vg.Length) {
	style := l.text.normal
	if e.minor {
		style = l.text.small
	}
	center := y - textRoom/2*px
	right := x + signWidth*px
	if e.band != nil {
		half := 5 * px
		c.FillPolygon(e.band, []vg.Point{{X: x, Y: center - half}, {X: right, Y: center - half}, {X: right, Y: center + half}, {X: x, Y: center + half}})
	}
	if e.style.Width > 0 {
		c.StrokeLine2(e.style, x, center, right, center)
	}
	if e.dot != none {
		ink := e.style.Color
		if ink == nil {
			ink = l.text.grey
		}
		dot(&c, vg.Point{X: (x + right) / 2, Y: center}, e.dot, ink, l.text.inks)
	}
	style.YAlign = middle
	left := x + e.sign()
	c.FillText(style, vg.Point{X: left, Y: center}, clip(style, e.text, c.Max.X-left))
}

// maxNamed is how many subjects are named in a line.
const maxNamed = 4

// verdictKeys names the subjects of each verdict but valid, such as "SUSPECT: every line". One
// is what a single subject is called.
func verdictKeys[T interface{ About() input.Subject }](one string, list []T) (keys []entry) {
	for _, verdict := range []results.Verdict{results.Invalid, results.Suspect} {
		var names []string
		for _, s := range list {
			if s.About().Verdict == verdict {
				names = append(names, s.About().Name)
			}
		}
		text := strings.ToUpper(string(verdict))
		switch {
		case len(names) == 0:
			continue
		case len(list) == 1: // the title says what it is
		case len(names) == len(list):
			text += ": every " + one
		case len(names) > maxNamed:
			text += fmt.Sprintf(": %d of %d %ss", len(names), len(list), one)
		default:
			text += ": " + strings.Join(names, ", ")
		}
		keys = append(keys, entry{text: text})
	}
	return keys
}

package plot

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// Inks are the colours of a chart: its background, its axes and texts, and the scheme of the
// lines.
type inks struct {
	scheme                           palette.Scheme
	paper, black, grey, faint, floor color.Color
	ghost                            color.Color // paler than the floor
}

// inksOf returns the inks of a theme. On both the grey of texts has a contrast of 7:1.
func inksOf(theme palette.Scheme) inks {
	if theme == palette.Dark {
		return inks{
			scheme: theme, paper: color.NRGBA{0x14, 0x17, 0x1b, 0xff},
			black: color.Gray{Y: 0xe8}, grey: color.Gray{Y: 0xa8}, faint: color.Gray{Y: 0x33}, floor: color.Gray{Y: 0x8c}, ghost: color.Gray{Y: 0x5c},
		}
	}
	return inks{
		scheme: theme, paper: color.White,
		black: color.Gray{Y: 0x1a}, grey: color.Gray{Y: 0x59}, faint: color.Gray{Y: 0xe3}, floor: color.Gray{Y: 0x80}, ghost: color.Gray{Y: 0xb4},
	}
}

// stroke returns how a line of data is drawn.
func (k inks) stroke(s palette.Style) draw.LineStyle {
	return dashed(s.Color(k.scheme), lineWidth, palette.Dash(s.Dash))
}

// An ink returns the colour of the i-th of four quantities of one target: the lowest is
// the strongest, the highest the palest.
type ink func(i int) color.Color

// hue returns the ink of a target.
func (k inks) hue(hue int) ink {
	return func(i int) color.Color {
		return palette.Style{Hue: hue, Shade: [...]int{1, 0, 2, 4}[i]}.Color(k.scheme)
	}
}

// common returns the ink of a quantity of several targets: that of their hue if they have one
// in common, else grey.
func (k inks) common(hues []int) ink {
	if len(hues) == 0 || slices.Min(hues) != slices.Max(hues) {
		return k.neutral
	}
	return k.hue(hues[0])
}

// neutral is the ink of what stands for several targets.
func (k inks) neutral(i int) color.Color {
	return []color.Color{k.black, k.grey, k.floor, k.ghost}[i]
}

// floorStroke is that of floors: grey, since no target is.
func (k inks) floorStroke() draw.LineStyle { return dashed(k.floor, 1.3, []float64{5, 4}) }

// Package palette is the one table of the colours and dashes of curves. The HTML
// report and the plots both draw from it.
//
// A colour belongs to a target: see [Targets]. Lines of one colour differ in their
// dashes, and in their shade where there are more lines than dashes.
package palette

import (
	"image/color"
	"math"
)

// The size of the table.
const (
	Hues   = 12
	Shades = 5
	Dashes = 7

	// Lines is how many lines of one hue can be told apart, and Families how many
	// families: see [Nth] and [Member].
	Lines    = Shades * Dashes
	Families = Dashes
)

// A Scheme is what the curves are drawn on.
type Scheme int

// The schemes.
const (
	Light Scheme = iota
	Dark
)

// hues begin with those of Okabe and Ito, "Color Universal Design" (2008), which the
// colour-blind can tell apart; those behind violet are for runs with more targets. On white the
// pale hues are darker than in the original, on black the deep ones are lighter, so that each
// has a contrast of 3:1. Grey is not among them: it is for lines without a target.
func hues() [Hues][2]color.NRGBA {
	rgb := func(v uint32) color.NRGBA { return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }
	return [Hues][2]color.NRGBA{
		{rgb(0x0072b2), rgb(0x4fb0f0)}, // blue
		{rgb(0xd55e00), rgb(0xff8a47)}, // vermilion
		{rgb(0x009e73), rgb(0x2fce9f)}, // bluish green
		{rgb(0xb3508a), rgb(0xe79bc8)}, // reddish purple
		{rgb(0xc18000), rgb(0xf2b83b)}, // orange
		{rgb(0x3895cc), rgb(0x9bd7fa)}, // sky blue
		{rgb(0x6b4c9a), rgb(0xb79cec)}, // violet
		{rgb(0x8a4b25), rgb(0xd79a70)}, // brown
		{rgb(0xd6336c), rgb(0xff87ad)}, // crimson
		{rgb(0x77780a), rgb(0xc9ca4c)}, // olive
		{rgb(0x00757d), rgb(0x43c4cd)}, // teal
		{rgb(0x2f3f9e), rgb(0x97a6fa)}, // navy
	}
}

// Dash returns a pattern of dashes and gaps in pixels; the first is a solid line.
func Dash(i int) []float64 {
	return [Dashes][]float64{
		{}, {9, 3}, {3, 3}, {11, 3, 2, 3}, {7, 3, 2, 3, 2, 3}, {14, 4, 5, 4}, {2, 6},
	}[i%Dashes]
}

// A Style is how a line is drawn: each field is below the size of the table.
type Style struct{ Hue, Shade, Dash int }

// Color returns the style's colour. Shade 0 is the hue itself; the odd shades move
// towards the text's colour, the even ones towards the background.
func (s Style) Color(scheme Scheme) color.NRGBA {
	ends := [2][2]float64{Light: {0xff, 0x00}, Dark: {0x14, 0xff}}[scheme] // even, odd
	way := [Shades]float64{0, 0.4, 0.3, 0.65, 0.5}[s.Shade]
	mix := func(from uint8) uint8 {
		return uint8(math.Round(float64(from) + (ends[s.Shade%2]-float64(from))*way))
	}
	c := hues()[s.Hue][scheme]
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

// Nth returns the style of the n-th line of a hue, from 0. The first lines have
// the hue itself and differ in their dashes.
func Nth(hue, n int) Style { return Style{hue % Hues, n / Dashes % Shades, n % Dashes} }

// Peer returns the style of the i-th of lines that are equals and run close to each other, such
// as the nodes of one target: neighbours differ both in their shade and in their dashes. The
// first 21 are at least as strong as the hue itself; there are [Lines] of them.
func Peer(hue, i int) Style {
	strong, pale := [...]int{0, 1, 3}, [...]int{2, 4}
	i %= Lines
	shade := strong[i%len(strong)]
	if i >= len(strong)*Dashes {
		shade = pale[i%len(pale)]
	}
	return Style{hue % Hues, shade, i % Dashes}
}

// Member returns the style of the i-th line of the n-th family of a hue. A family is a
// few lines that belong together, such as the percentiles of one target: they differ
// in their shade, the first the strongest, and families in their dashes.
func Member(hue, n, i int) Style {
	return Style{hue % Hues, [Shades]int{1, 0, 4, 2, 3}[i%Shades], n % Dashes}
}

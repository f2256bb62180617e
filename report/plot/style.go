package plot

import (
	"image/color"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A pixel is a 96th of an inch, as in CSS.
const (
	dpi = 96
	px  = vg.Length(72.0 / dpi)
)

// The greys of what is not data.
func black() color.Color { return color.Gray{Y: 0x1a} }
func grey() color.Color  { return color.Gray{Y: 0x59} } // 7:1 on white
func faint() color.Color { return color.Gray{Y: 0xe3} }

// palette is that of Okabe and Ito, "Color Universal Design" (2008), without its
// yellow, which is too faint on white. It is told apart with every colour vision.
func palette() []color.NRGBA {
	return []color.NRGBA{
		{0x00, 0x72, 0xb2, 0xff}, // blue
		{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		{0x00, 0x9e, 0x73, 0xff}, // bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		{0xe6, 0x9f, 0x00, 0xff}, // orange
		{0x56, 0xb4, 0xe9, 0xff}, // sky blue
		{0x00, 0x00, 0x00, 0xff}, // black
	}
}

// dashes are patterns in pixels, solid first. Their number and that of the
// colours have no common divisor: 35 lines differ in one or the other, and the
// first seven in colour, the first five in pattern.
func dashes() [][]vg.Length {
	return [][]vg.Length{nil, {9, 3}, {3, 3}, {11, 3, 2, 3}, {7, 3, 2, 3, 2, 3}}
}

// distinctLines is how many lines can be told apart.
func distinctLines() int { return len(palette()) * len(dashes()) }

// lineWidth is that of data, in pixels.
const lineWidth = 1.8

// stroke returns the style of the i-th line.
func stroke(i int) draw.LineStyle {
	colors, patterns := palette(), dashes()
	return dashed(colors[i%len(colors)], lineWidth, patterns[i%len(patterns)])
}

// dashed returns a style; width and dashes are in pixels.
func dashed(c color.Color, width float64, pattern []vg.Length) draw.LineStyle {
	s := draw.LineStyle{Color: c, Width: vg.Length(width) * px}
	for _, d := range pattern {
		s.Dashes = append(s.Dashes, d*px)
	}
	return s
}

// thin returns the style for what is not to be relied on.
func thin(s draw.LineStyle) draw.LineStyle {
	s.Width = 0.9 * px
	return s
}

// floorStroke is that of floors: grey, so that no colour is taken for a broker's.
func floorStroke() draw.LineStyle {
	return dashed(color.Gray{Y: 0x80}, 1.3, []vg.Length{5, 4})
}

// veil returns the colour of a band around a line.
func veil(c color.Color) color.Color {
	n, _ := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = 0x2e
	return n
}

// A typeface has the styles of texts.
type typeface struct{ title, bold, normal, small text.Style }

// Where a text lies: gonum aligns the room of a line; these align its capitals and
// digits.
const (
	middle = text.YAlignment(-0.41)
	below  = text.YAlignment(-0.74)
)

// newText makes the styles of the built-in font. For PNG texts are drawn with
// plain = false: see letters.
func newText(plain bool) typeface {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	heavy := sans
	heavy.Weight = xfont.WeightBold
	fonts := text.Plain{Fonts: font.NewCache(font.Collection{
		{Font: sans, Face: parse(liberationsansregular.TTF)},
		{Font: heavy, Face: parse(liberationsansbold.TTF)},
	})}
	var handler text.Handler = fonts
	if !plain {
		handler = letters{fonts}
	}
	style := func(f font.Font, size vg.Length, c color.Color) text.Style {
		return text.Style{Font: font.From(f, size*px), Color: c, Handler: handler}
	}
	return typeface{
		title: style(heavy, 16, black()), bold: style(heavy, 12, black()),
		normal: style(sans, 12, black()), small: style(sans, 12, grey()),
	}
}

// letters draws a text a letter at a time, each where the widths and kernings of
// the ones before put it. The rasterizer's own kerning is that of a font of 2048
// pixels: it pushes letters into each other ("VA").
type letters struct{ text.Plain }

// Draw draws one line, which is not rotated.
func (l letters) Draw(c vg.Canvas, line string, sty text.Style, pt vg.Point) {
	face := l.Fonts.Lookup(sty.Font, sty.Font.Size)
	c.SetColor(sty.Color)
	pt.X += vg.Length(sty.XAlign) * face.Width(line)
	pt.Y += vg.Length(sty.YAlign)*sty.Height(line) - face.Extents().Ascent + sty.Font.Size
	for i, letter := range line {
		to := i + len(string(letter))
		own := face.Width(string(letter))
		c.FillString(face, vg.Point{X: pt.X + face.Width(line[:to]) - own, Y: pt.Y}, string(letter))
	}
}

func parse(ttf []byte) *opentype.Font {
	face, err := opentype.Parse(ttf)
	if err != nil {
		panic("plot: the built-in font: " + err.Error())
	}
	return face
}

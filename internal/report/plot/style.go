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

// lineWidth is that of data, in pixels.
const lineWidth = 1.8

// dashed returns a style; width and dashes are in pixels.
func dashed(c color.Color, width float64, pattern []float64) draw.LineStyle {
	s := draw.LineStyle{Color: c, Width: vg.Length(width) * px}
	for _, d := range pattern {
		s.Dashes = append(s.Dashes, vg.Length(d)*px)
	}
	return s
}

// thin returns the style of values that cannot be relied on.
func thin(s draw.LineStyle) draw.LineStyle {
	s.Width = 0.9 * px
	return s
}

// veil returns the colour of a band around a line.
func veil(c color.Color) color.Color {
	n, _ := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = 0x2e
	return n
}

// A typeface has the styles of texts, and the inks of a chart.
type typeface struct {
	inks
	title, bold, normal, small text.Style
}

// Where a text lies: gonum aligns the room of a line; these align its capitals and
// digits.
const (
	middle = text.YAlignment(-0.41)
	below  = text.YAlignment(-0.74)
)

// newText makes the styles of the built-in font. For PNG texts are drawn with
// plain = false: see letters.
func newText(k inks, plain bool) typeface {
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
		inks: k, title: style(heavy, 16, k.black), bold: style(heavy, 12, k.black),
		normal: style(sans, 12, k.black), small: style(sans, 12, k.grey),
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
		panic("the built-in font: " + err.Error())
	}
	return face
}

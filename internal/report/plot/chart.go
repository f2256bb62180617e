// Package plot draws results as SVG and PNG, without a browser: percentile
// distributions on an axis of nines, response times over time, and response times
// by rate. It draws cells and files of other tools side by side.
//
// The same input gives the same bytes on every machine: fonts are built in, and the
// file holds nothing but the data.
package plot

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// Options say how to draw a chart. The zero value is the default size, on white.
type Options struct {
	Axis   Axis           // of times
	Title  string         // in place of the chart's own
	Theme  palette.Scheme // palette.Light or palette.Dark
	Width  int            // in units, each a pixel at scale 1; 0 is DefaultWidth
	Height int            // in units; 0 is what the chart needs
	Scale  float64        // pixels per unit, for a sharp picture on a fine screen; 0 is 1
	Nines  int            // how many an axis of percentiles has at least, up to MaxNines: 6 for 99.9999; 0 is as the data need

	// Targets are in the order of their colours: see [palette.Targets] and
	// [source.Targets]. Those of the data that are not here follow.
	Targets []string
}

// An Axis says how times are spaced.
type Axis int

// The axes of times.
const (
	Auto   Axis = iota // logarithmic if the longest is more than [AutoFactor] times the shortest
	Log                // a factor is a distance
	Linear             // from 0
)

// AutoFactor is how far times may be apart before most of them lie on the ground of
// a linear axis.
const AutoFactor = 20

// The sizes of charts, in units, and how many pixels one may be.
const (
	DefaultWidth = 960
	MinSize      = 240
	MaxSize      = 10_000
	MinScale     = 0.5
	MaxScale     = 8
	MaxNines     = 12
)

func (o Options) check() error {
	for _, size := range []struct {
		name string
		px   int
	}{{"width", o.Width}, {"height", o.Height}} {
		if size.px != 0 && (size.px < MinSize || size.px > MaxSize) {
			return fmt.Errorf("%w: a %s of %d pixels is not between %d and %d", input.ErrInput, size.name, size.px, MinSize, MaxSize)
		}
	}
	if o.Scale != 0 && !(o.Scale >= MinScale && o.Scale <= MaxScale) {
		return fmt.Errorf("%w: a scale of %v is not between %v and %d", input.ErrInput, o.Scale, MinScale, MaxScale)
	}
	if o.Nines < 0 || o.Nines > MaxNines {
		return fmt.Errorf("%w: an axis to %d nines: want 0 to %d, such as 6 for 99.9999", input.ErrInput, o.Nines, MaxNines)
	}
	return nil
}

// A Chart is ready to be written. Make one with [Percentiles], [Timeline] or
// [Rate]. It may be written several times, not at once.
type Chart struct {
	layout        layout
	width, height vg.Length
	scale         float64
}

// Size returns width and height in pixels.
func (c *Chart) Size() (width, height int) {
	pixels := func(l vg.Length) int { return int(float64(l/px)*c.scale + 0.5) }
	return pixels(c.width), pixels(c.height)
}

// newChart lays out a picture in the size that was asked for.
func newChart(p picture, o Options) (*Chart, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	for i := range p.panels {
		columns := max(p.columns, 1)
		p.panels[i].bare, p.panels[i].inner = i+columns < len(p.panels), i%columns > 0
	}
	p.inks, p.title = inksOf(o.Theme), cmp.Or(o.Title, p.title)
	c := &Chart{
		width: vg.Length(cmp.Or(o.Width, DefaultWidth)) * px, layout: layout{picture: p, text: newText(p.inks, true)}, scale: cmp.Or(o.Scale, 1),
	}
	need := c.layout.surround(c.width)
	c.height = need + vg.Length(p.height())*px
	if o.Height != 0 {
		c.height = vg.Length(o.Height) * px
	}
	if least := need + vg.Length(len(p.rows())*leastPanel)*px; c.height < least {
		return nil, fmt.Errorf("%w: a height of %d pixels leaves no room for the data (want %.0f at least)", input.ErrInput, o.Height, float64(least/px))
	}
	if w, h := c.Size(); max(w, h) > MaxSize {
		return nil, fmt.Errorf("%w: %d by %d pixels: at most %d each (a smaller scale, or fewer cells)", input.ErrInput, w, h, MaxSize)
	}
	return c, nil
}

// WritePNG writes the chart as a PNG of exactly [Chart.Size].
func (c *Chart) WritePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(c.width, c.height), vgimg.UseDPI(int(dpi*c.scale+0.5)))
	raster := layout{picture: c.layout.picture, text: newText(c.layout.picture.inks, false)}
	raster.draw(draw.New(canvas))
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(w); err != nil {
		return fmt.Errorf("writing PNG: %w", err)
	}
	return nil
}

// svgSize finds the size at which an SVG is shown; its content has other units.
var svgSize = regexp.MustCompile(`width="[^"]*" height="[^"]*" `)

// WriteSVG writes the chart as an SVG. Its texts are text: they can be searched
// and selected, and are shown in a font of the reader's that is as wide as the
// built-in one.
func (c *Chart) WriteSVG(w io.Writer) error {
	canvas := vgsvg.New(c.width, c.height)
	c.layout.draw(draw.New(canvas))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	svg := bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	if at := svgSize.FindIndex(svg); c.scale != 1 && at != nil {
		shown := fmt.Sprintf(`width="%.6gpt" height="%.6gpt" `, float64(c.width)*c.scale, float64(c.height)*c.scale)
		svg = slices.Concat(svg[:at[0]], []byte(shown), svg[at[1]:])
	}
	const head = `xmlns:xlink="http://www.w3.org/1999/xlink">`
	titled := fmt.Sprintf("%s\n<title>%s</title>", head, html.EscapeString(c.layout.picture.title))
	if _, err := w.Write(bytes.Replace(svg, []byte(head), []byte(titled), 1)); err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	return nil
}

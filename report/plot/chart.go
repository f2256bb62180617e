// Package plot draws results as SVG and PNG, without a browser: percentile
// distributions on an axis of nines, response times over time, and response times
// by rate. It draws cells of ours and files of other tools side by side.
//
// The same input gives the same bytes on every machine: fonts are built in, and the
// file holds nothing but the data.
package plot

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Options say how to draw a chart. The zero value is the default size and a linear
// axis of times.
type Options struct {
	Log    bool // a logarithmic axis of times
	Width  int  // in pixels; 0 is DefaultWidth
	Height int  // in pixels; 0 is what the chart needs

	// Targets are in the order of their colours: see [palette.Targets] and
	// [source.Targets]. Those of the data that are not here follow.
	Targets []string
}

// The sizes of charts, in pixels.
const (
	DefaultWidth = 960
	MinSize      = 240
	MaxSize      = 10_000
)

// ErrInput is the error of sources that a chart cannot show: too many, or of the
// wrong kind.
var ErrInput = errors.New("cannot be drawn")

func (o Options) check() error {
	for _, size := range []struct {
		name string
		px   int
	}{{"width", o.Width}, {"height", o.Height}} {
		if size.px != 0 && (size.px < MinSize || size.px > MaxSize) {
			return fmt.Errorf("%w: a %s of %d pixels is not between %d and %d", ErrInput, size.name, size.px, MinSize, MaxSize)
		}
	}
	return nil
}

// A Chart is ready to be written. Make one with [Percentiles], [Timeline] or
// [Rate]. It may be written several times, not at once.
type Chart struct {
	layout        layout
	width, height vg.Length
}

// Size returns width and height in pixels.
func (c *Chart) Size() (width, height int) {
	return int(c.width/px + 0.5), int(c.height/px + 0.5)
}

// newChart lays out a picture in the size that was asked for.
func newChart(p picture, o Options) (*Chart, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	c := &Chart{width: vg.Length(cmp.Or(o.Width, DefaultWidth)) * px, layout: layout{picture: p, text: newText(true)}}
	need := c.layout.surround(c.width)
	c.height = need + vg.Length(p.height())*px
	if o.Height != 0 {
		c.height = vg.Length(o.Height) * px
	}
	if least := need + vg.Length(len(p.panels)*leastPanel)*px; c.height < least {
		return nil, fmt.Errorf("%w: a height of %d pixels leaves no room for the data (want %.0f at least)", ErrInput, o.Height, float64(least/px))
	}
	return c, nil
}

// WritePNG writes the chart as a PNG of exactly [Chart.Size].
func (c *Chart) WritePNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(c.width, c.height), vgimg.UseDPI(dpi))
	raster := layout{picture: c.layout.picture, text: newText(false)}
	raster.draw(draw.New(canvas))
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(w); err != nil {
		return fmt.Errorf("writing PNG: %w", err)
	}
	return nil
}

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
	const head = `xmlns:xlink="http://www.w3.org/1999/xlink">`
	titled := fmt.Sprintf("%s\n<title>%s</title>", head, html.EscapeString(c.layout.picture.title))
	if _, err := w.Write(bytes.Replace(svg, []byte(head), []byte(titled), 1)); err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	return nil
}

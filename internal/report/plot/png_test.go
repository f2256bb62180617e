package plot_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/report/plot"
)

// TestPNG decodes charts and looks for what must be drawn where.
func TestPNG(t *testing.T) {
	all, common := curves(t, find(t, sample(t))[1:]) // the stall is blue
	for _, o := range []plot.Options{{}, {Width: 500, Height: 401}, {Width: 1201, Height: 801, Axis: plot.Log}} {
		c := must(t)(plot.Percentiles(all, common, o))
		var b bytes.Buffer
		if err := c.WritePNG(&b); err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		w, h := c.Size()
		if o.Width != 0 && (w != o.Width || h != o.Height) || picture.Bounds().Dx() != w || picture.Bounds().Dy() != h {
			t.Errorf("%+v: the chart is %d×%d, the picture %v", o, w, h, picture.Bounds())
		}
		blue, white := almost(palette.Style{}.Color(palette.Light)), almost(color.NRGBA{0xff, 0xff, 0xff, 0xff})
		if in := image.Rect(w/10, h/8, w*9/10, h*3/4); count(picture, in, blue) < w/4 {
			t.Errorf("%+v: no blue line in the area of the data", o)
		}
		if below := image.Rect(0, h-100, w/4, h); count(picture, below, blue) < 30 {
			t.Errorf("%+v: no blue line in the legend", o)
		}
		if title := image.Rect(10, 10, 250, 34); count(picture, title, dark) < 300 {
			t.Errorf("%+v: the title is blank", o)
		}
		for _, edge := range []image.Rectangle{image.Rect(0, 0, w, 8), image.Rect(0, h-8, w, h), image.Rect(0, 0, 8, h), image.Rect(w-6, 0, w, h)} {
			if n := edge.Dx()*edge.Dy() - count(picture, edge, white); n > 0 {
				t.Errorf("%+v: %d pixels are drawn in the margin %v", o, n, edge)
			}
		}
	}
}

// count counts the pixels of a kind.
func count(p image.Image, in image.Rectangle, is func(r, g, b uint8) bool) (n int) {
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if r, g, b, _ := p.At(x, y).RGBA(); is(uint8(r>>8), uint8(g>>8), uint8(b>>8)) {
				n++
			}
		}
	}
	return n
}

// almost tells whether a pixel has a colour, or almost: edges are smoothed.
func almost(want color.NRGBA) func(r, g, b uint8) bool {
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 48 }
	return func(r, g, b uint8) bool { return near(r, want.R) && near(g, want.G) && near(b, want.B) }
}

// dark tells whether a pixel is darker than half.
func dark(r, g, b uint8) bool {
	return color.GrayModel.Convert(color.RGBA{r, g, b, 0xff}).(color.Gray).Y < 128
}

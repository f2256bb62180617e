package palette_test

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// contrast is that of WCAG 2.2 between two colours.
func contrast(a, b color.NRGBA) float64 {
	luminance := func(c color.NRGBA) (sum float64) {
		for i, v := range []uint8{c.R, c.G, c.B} {
			linear := float64(v) / 255 / 12.92
			if s := float64(v) / 255; s > 0.04045 {
				linear = math.Pow((s+0.055)/1.055, 2.4)
			}
			sum += []float64{0.2126, 0.7152, 0.0722}[i] * linear
		}
		return sum
	}
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

// Every hue can be seen on its background, and so can its shades.
func TestContrast(t *testing.T) {
	backgrounds := []color.NRGBA{palette.Light: {0xff, 0xff, 0xff, 0xff}, palette.Dark: {0x14, 0x17, 0x1b, 0xff}}
	for scheme, background := range backgrounds {
		for hue := range palette.Hues {
			for shade := range palette.Shades {
				want := 3.0
				if shade > 0 {
					want = 1.7
				}
				c := palette.Style{Hue: hue, Shade: shade}.Color(palette.Scheme(scheme))
				if got := contrast(c, background); got < want {
					t.Errorf("scheme %d, hue %d, shade %d: %v has a contrast of %.2f, want %.1f", scheme, hue, shade, c, got, want)
				}
			}
		}
	}
}

// Peers that are not many can be seen, and neighbours differ in both shade and dash.
func TestPeersAreFarApart(t *testing.T) {
	for hue := range palette.Hues {
		for i := range 21 {
			a, b := palette.Peer(hue, i), palette.Peer(hue, i+1)
			if i < 20 && (a.Shade == b.Shade || a.Dash == b.Dash) {
				t.Errorf("%+v is beside %+v", a, b)
			}
			if light, dark := contrast(a.Color(palette.Light), color.NRGBA{0xff, 0xff, 0xff, 0xff}), contrast(a.Color(palette.Dark), color.NRGBA{0x14, 0x17, 0x1b, 0xff}); min(light, dark) < 3 {
				t.Errorf("%+v has a contrast of %.2f and %.2f", a, light, dark)
			}
		}
	}
}

// No two lines look the same, of one hue or of several, alone or in families.
func TestLinesAreDistinct(t *testing.T) {
	for name, style := range map[string]func(hue, n int) palette.Style{
		"lines":    palette.Nth,
		"peers":    palette.Peer,
		"families": func(hue, n int) palette.Style { return palette.Member(hue, n/3, n%3) },
	} {
		lines := map[string]int{"lines": palette.Lines, "peers": palette.Lines, "families": 3 * palette.Families}[name]
		seen := make(map[string]string)
		for hue := range palette.Hues {
			for n := range lines {
				s := style(hue, n)
				look, line := fmt.Sprint(s.Color(palette.Light), s.Color(palette.Dark), palette.Dash(s.Dash)), fmt.Sprint(hue, n)
				if before := seen[look]; before != "" {
					t.Errorf("%s: %s and %s look the same", name, before, line)
				}
				seen[look] = line
			}
		}
	}
}

func TestTargets(t *testing.T) {
	targets := palette.NewTargets([]string{"nats", "redis", "nats", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"})
	for _, c := range []struct {
		name string
		want int
	}{{"redis", 1}, {"a file", 1}, {"nats", 0}, {"h", 7}, {"m", 0}, {"another", 2}, {"a file", 1}} {
		if got := targets.Hue(c.name); got != c.want {
			t.Errorf("%s has hue %d, want %d", c.name, got, c.want)
		}
	}
}

// The thirteenth target has the first hue, with the next dash.
func ExampleChart() {
	chart := palette.NewChart(strings.Split("abcdefghijklm", ""))
	for _, name := range []string{"a", "m", "b"} {
		fmt.Println(name, chart.Line(name))
	}
	// Output:
	// a {0 0 0}
	// m {0 0 1}
	// b {1 0 0}
}

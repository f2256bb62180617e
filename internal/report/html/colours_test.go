package html_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// The page gives a target the palette's colour of its place in the plan, as plots of
// one cell of the same run do.
func TestTargetsHaveTheColourOfTheirPlace(t *testing.T) {
	_, text := write(t, newStore(t, "four", four()...))
	_, data, _ := strings.Cut(text, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var document struct {
		Cells []struct {
			Target string
			Hue    int
		}
		Dashes [][]float64
	}
	if err := json.Unmarshal([]byte(data), &document); err != nil || len(document.Dashes) != palette.Dashes || len(document.Cells) != 4 {
		t.Fatalf("%+v, %v", document, err)
	}
	for i, want := range []int{0, 1, 2, 0} {
		c, ink := document.Cells[i], palette.Style{Hue: want}.Color(palette.Light)
		_, value, _ := strings.Cut(text, fmt.Sprintf("--hue-%d-0: ", c.Hue))
		if c.Hue != want || !strings.HasPrefix(value, fmt.Sprintf("#%02x%02x%02x", ink.R, ink.G, ink.B)) {
			t.Errorf("the page has hue %d for %s, %.7s; want %d", c.Hue, c.Target, value, want)
		}
	}
}

// inks counts the pixels of each chart that have exactly the colour of a hue.
const inks = `((colours) => Object.fromEntries([...document.querySelectorAll("figure.chart")].map((f) => {
	const {width, height} = f.querySelector(".uplot canvas"), found = colours.map(() => 0);
	const copy = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
	copy.drawImage(f.querySelector(".uplot canvas"), 0, 0);
	const pixels = copy.getImageData(0, 0, width, height).data;
	for (let i = 0; i < pixels.length; i += 4) {
		const at = colours.findIndex(([r, g, b]) => pixels[i] === r && pixels[i + 1] === g && pixels[i + 2] === b && pixels[i + 3] === 255);
		if (at >= 0) found[at]++;
	}
	return [f.dataset.chart.replace(/^cell-.*-/, "cell-"), found];
})))(%s)`

// The charts of a cell have its target's colour, and those of the process and the machine
// have no target's.
func TestCurvesHaveTheirTargetsColour(t *testing.T) {
	path, _ := write(t, newStore(t, "four", four()...))
	for scheme, name := range map[palette.Scheme]string{palette.Light: "light", palette.Dark: "dark"} {
		b := open(t, path, name, 1360, 900)
		var colours [][]uint8
		for hue := range palette.Hues {
			c := palette.Style{Hue: hue}.Color(scheme)
			colours = append(colours, []uint8{c.R, c.G, c.B})
		}
		list := strings.ReplaceAll(fmt.Sprint(colours), " ", ",")
		for i, want := range []int{0, 1, 2, 0} {
			b.openCell(i)
			var strokes []string
			b.eval(`[...document.querySelectorAll("#figure-cell [stroke*=hue]")].map((e) => e.getAttribute("stroke"))`, &strokes)
			if ink := fmt.Sprintf("var(--hue-%d-0)", want); len(strokes) == 0 || slices.ContainsFunc(strokes, func(s string) bool { return s != ink }) {
				t.Errorf("%s, cell %d: strokes %q, want %s", name, i, strokes, ink)
			}
			var charts map[string][]int
			b.eval(fmt.Sprintf(inks, list), &charts)
			if len(charts) != 7 {
				t.Errorf("%s: charts %v", name, charts)
			}
			for chart, found := range charts {
				of, ok := map[string]int{"cell-timeline": want}[chart]
				for hue, pixels := range found {
					if chart == "cell-heatmap" && hue == want {
						continue // it is drawn in the hue's lightnesses
					}
					if drawn := ok && hue == of; drawn && pixels < 200 || !drawn && pixels > 0 {
						t.Errorf("%s, cell %d: %s has %d pixels of hue %d", name, i, chart, pixels, hue)
					}
				}
			}
		}
	}
}

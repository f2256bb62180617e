package plot_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
)

// drawn compares the SVG of a chart with a file.
func drawn(t *testing.T, name string, c *plot.Chart) string {
	t.Helper()
	svg := svgOf(t, c)
	golden.Check(t, name, svg)
	return svg
}

func svgOf(t *testing.T, c *plot.Chart) string {
	t.Helper()
	var svg bytes.Buffer
	if err := c.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	return svg.String()
}

// must returns a chart, or fails.
func must(t *testing.T) func(*plot.Chart, error) *plot.Chart {
	return func(c *plot.Chart, err error) *plot.Chart {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func wantTexts(t *testing.T, svg string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(svg, ">"+text+"<") {
			t.Errorf("the chart does not say %q", text)
		}
	}
}

// find returns the sources of paths.
func find(t *testing.T, paths ...string) []source.Source {
	t.Helper()
	found, _, err := source.Find(paths)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// curves reads the curves of sources, of which repeats are one.
func curves(t *testing.T, sources []source.Source) (all []input.Curve, common string) {
	t.Helper()
	groups := input.Repeats(sources)
	names, common := input.Names(groups)
	for i, g := range groups {
		c, err := input.NewCurve(g, "", names[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all, common
}

// timelines reads the timelines of sources.
func timelines(t *testing.T, sources []source.Source) (all []input.Series, common string) {
	t.Helper()
	names, common := source.Names(sources)
	for i, s := range sources {
		v, err := input.NewSeries(s, "", names[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all, common
}

package plot_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

func TestPercentiles(t *testing.T) {
	all, common := curves(t, find(t, sample(t)))
	drawn(t, "percentiles.svg", must(t)(plot.Percentiles(all, common, plot.Options{Axis: plot.Linear})))
	drawn(t, "percentiles-log.svg", must(t)(plot.Percentiles(all, common, plot.Options{Axis: plot.Log, Width: 640, Height: 480})))
}

// Files of other tools: Java's table, wrk2's output, a log.
func TestPercentilesOfForeignFiles(t *testing.T) {
	foreign := "../../../histogram/testdata/golden/"
	all, common := curves(t, find(t, foreign+"stall.hgrm", foreign+"uniform.hgrm", "testdata/wrk2.txt", "testdata/bench.hgrm"))
	svg := drawn(t, "foreign.svg", must(t)(plot.Percentiles(all, common, plot.Options{Axis: plot.Log})))
	wantTexts(t, svg, "Latency by percentile", "stall.hgrm", "wrk2.txt", "bench.hgrm")
}

// FuzzPercentiles: what can be read can be drawn, or is refused.
func FuzzPercentiles(f *testing.F) {
	f.Add("Value Percentile TotalCount 1/(1-Percentile)\n1 0.5 1 2\n3 1 2 inf\n#[Mean = 1]\n#[Max = 3, TotalCount = 2.000]\n#[SubBuckets = 2]", int64(0), true)
	f.Add("Value Percentile TotalCount 1/(1-Percentile)\n0 0 1 2\n1e300 1 9007199254740993 inf\n", int64(1<<62), false)
	f.Fuzz(func(t *testing.T, text string, missing int64, logarithm bool) {
		table, err := histogram.ReadPercentiles(strings.NewReader(text))
		if err != nil || missing < 0 {
			return
		}
		c, err := input.NewCurve([]source.Source{{Path: "x", Table: &table, Of: &results.Distribution{Missing: missing}}}, "", "x")
		if err != nil {
			t.Fatal(err)
		}
		axis := plot.Linear
		if logarithm {
			axis = plot.Log
		}
		chart, err := plot.Percentiles([]input.Curve{c}, "", plot.Options{Axis: axis})
		if errors.Is(err, input.ErrInput) {
			return
		}
		svg := svgOf(t, must(t)(chart, err))
		for _, bad := range []string{"NaN", "Inf"} {
			if strings.Contains(svg, bad) {
				t.Errorf("the chart has a %s", bad)
			}
		}
	})
}

func ExamplePercentiles() {
	found, _, err := source.Find([]string{"../../../histogram/testdata/golden/stall.hgrm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	curve, err := input.NewCurve(found, "", found[0].Name())
	if err != nil {
		fmt.Println(err)
		return
	}
	chart, err := plot.Percentiles([]input.Curve{curve}, "", plot.Options{Axis: plot.Log, Height: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(chart.Size())
	fmt.Println(chart.WriteSVG(io.Discard), chart.WritePNG(io.Discard))
	// Output:
	// 960 500
	// <nil> <nil>
}

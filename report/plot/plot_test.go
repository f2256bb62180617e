package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/report/palette"
	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/resultstest"
	"github.com/brokerbench/brokerbench/results/source"
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

// find returns the sources of paths.
func find(t *testing.T, paths ...string) []source.Source {
	t.Helper()
	found, _, err := source.Find(paths)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// stalled returns the response times of some seconds at a rate, of which one
// stands still: those that are due in it are answered at its end.
func stalled(rate, seconds, stall int, service time.Duration) [][]time.Duration {
	all := make([][]time.Duration, seconds)
	for s := range all {
		for i := range rate {
			rest := time.Second - time.Duration(i)*time.Second/time.Duration(rate)
			v := service + time.Duration(i*7919%rate)*time.Microsecond/4
			if s == stall {
				all[s+1] = append(all[s+1], rest+service)
				continue
			}
			all[s] = append(all[s], v)
		}
	}
	return all
}

// sample is a run of four cells at two rates: with a floor and confidence, with a
// stall, with missing messages, with few of them.
func sample(t *testing.T) string {
	return resultstest.Write(t, "sample",
		resultstest.Cell{Target: "nats", Rate: 1000, Seconds: stalled(1000, 8, 99, time.Millisecond), Hiccup: 400 * time.Microsecond, Change: known},
		resultstest.Cell{Target: "nats", Rate: 3000, Seconds: stalled(3000, 8, 3, time.Millisecond), Hiccup: 4 * time.Millisecond, Change: func(c *results.Cell) {
			known(c)
			for i := range 7 {
				c.Events = append(c.Events, results.Event{AtNS: int64(2500+500*i) * int64(time.Millisecond), Text: "disconnected"})
			}
		}},
		resultstest.Cell{Target: "redis", Rate: 1000, Seconds: stalled(1000, 8, 99, 2*time.Millisecond), Missing: 160, Change: func(c *results.Cell) {
			c.Judge([]results.Problem{{Code: "missing", Severity: results.Invalid}})
		}},
		resultstest.Cell{Target: "redis", Rate: 10, Seconds: stalled(10, 8, 99, 2*time.Millisecond), Change: func(c *results.Cell) {
			c.Judge([]results.Problem{{Code: "few", Severity: results.Suspect}})
		}})
}

// known adds a floor, and confidence as far as there are samples.
func known(c *results.Cell) {
	h := histogram.New()
	for i := range 1000 {
		h.Record(100*time.Microsecond + time.Duration(i)*time.Microsecond/2)
	}
	c.Floor = &results.Floor{Echo: results.FloorRun{Response: results.NewDistribution(h, 0)}}
	for i, row := range c.Response.Percentiles {
		if v, ok := row.Value(); ok && row.SamplesAbove >= histogram.MinAbove {
			low, high := int64(v)*9/10, int64(v)*6/5
			c.Response.Percentiles[i].LowNS, c.Response.Percentiles[i].HighNS = &low, &high
		}
	}
}

// curves reads the curves of sources, of which repeats are one.
func curves(t *testing.T, sources []source.Source) (all []plot.Curve, common string) {
	t.Helper()
	groups := plot.Repeats(sources)
	names, common := plot.Names(groups)
	for i, g := range groups {
		c, err := plot.NewCurve(g, "", names[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all, common
}

// timelines reads the timelines of sources.
func timelines(t *testing.T, sources []source.Source) (all []plot.Series, common string) {
	t.Helper()
	names, common := source.Names(sources)
	for i, s := range sources {
		v, err := plot.NewSeries(s, "", names[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all, common
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

func TestPercentiles(t *testing.T) {
	all, common := curves(t, find(t, sample(t)))
	svg := drawn(t, "percentiles.svg", must(t)(plot.Percentiles(all, common, plot.Options{Axis: plot.Linear})))
	wantTexts(t, svg, "Response time by percentile", "Response time (ms)", "Percentile (%)", "99.99", "1KiB, 1 connection", "nats 1000/s", "redis 10/s",
		"95 % confidence", "floor: a TCP echo in place of the broker", "fewer than 10 samples above", "unknown above: messages are missing")
	drawn(t, "percentiles-log.svg", must(t)(plot.Percentiles(all, common, plot.Options{Axis: plot.Log, Width: 640, Height: 480})))
}

// Files of other tools: Java's table, wrk2's output, a log.
func TestPercentilesOfForeignFiles(t *testing.T) {
	foreign := "../../histogram/testdata/golden/"
	all, common := curves(t, find(t, foreign+"stall.hgrm", foreign+"uniform.hgrm", "testdata/wrk2.txt", "testdata/bench.hgrm"))
	svg := drawn(t, "foreign.svg", must(t)(plot.Percentiles(all, common, plot.Options{Axis: plot.Log})))
	wantTexts(t, svg, "Latency by percentile", "stall.hgrm", "wrk2.txt", "bench.hgrm")
}

func TestTimeline(t *testing.T) {
	all, common := timelines(t, find(t, sample(t))[:3])
	svg := drawn(t, "timeline.svg", must(t)(plot.Timeline(all, common, plot.Options{Axis: plot.Log})))
	wantTexts(t, svg, "Response time over time", "Time since the start of the log (s)", "nats 3000/s", "p50", "p99", "max",
		"Longest hiccup of the measuring process (ms)", "nats 3000/s 5.0 s: disconnected", "and 1 more")
	if n := strings.Count(svg, "Longest hiccup"); n != 2 {
		t.Errorf("%d panels of hiccups, want 2: the third cell has none", n)
	}
}

func TestRate(t *testing.T) {
	ladders, common, alone, err := plot.Ladders(find(t, sample(t)))
	if err != nil || len(alone) > 0 {
		t.Fatal(alone, err)
	}
	svg := drawn(t, "rate.svg", must(t)(plot.Rate(ladders, common, plot.Options{Axis: plot.Log})))
	wantTexts(t, svg, "Response time by rate", "Rate (messages/s that were due)", "nats p99.9", "redis p50", "vertical bars: 95 % confidence",
		"the cell is INVALID", "no dot: unknown, messages are missing", "INVALID: redis at 1000/s", "SUSPECT: redis at 10/s")
}

// The same input gives the same bytes, of the same chart and of another one.
func TestChartsAreDeterministic(t *testing.T) {
	all, common := curves(t, find(t, sample(t)))
	var first string
	for i := range 2 {
		c := must(t)(plot.Percentiles(all, common, plot.Options{}))
		for range 2 {
			var b bytes.Buffer
			if err := errors.Join(c.WriteSVG(&b), c.WritePNG(&b)); err != nil {
				t.Fatal(err)
			}
			if i == 0 && first == "" {
				first = b.String()
			}
			if b.String() != first {
				t.Fatalf("chart %d differs", i)
			}
		}
	}
}

// TestSVGIsWellFormed, and refers to nothing outside.
func TestSVGIsWellFormed(t *testing.T) {
	all, _ := curves(t, find(t, sample(t))[:1])
	all[0].Name = `<script>"a" & b</script>`
	d := xml.NewDecoder(strings.NewReader(svgOf(t, must(t)(plot.Percentiles(all, "<&>", plot.Options{})))))
	texts := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "script" || token.Name.Local == "image" {
				t.Errorf("the chart has an element %s", token.Name.Local)
			}
		case xml.CharData:
			texts += string(token)
		}
	}
	if !strings.Contains(texts, all[0].Name) || !strings.Contains(texts, "<&>") {
		t.Error("texts were not escaped")
	}
}

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

func TestWhatCannotBeDrawn(t *testing.T) {
	sources := find(t, sample(t))
	table := find(t, "testdata/wrk2.txt")[0]
	one, _ := curves(t, sources[:1])
	many := make([]plot.Curve, 36)
	for i := range many {
		many[i] = one[0]
	}
	timeline, _ := timelines(t, sources[:1])
	for _, tt := range []struct {
		name, want string
		err        func() error
	}{
		{"many", "of 36 lines more than 35 have one colour", func() error { _, err := plot.Percentiles(many, "", plot.Options{}); return err }},
		{"none", "there is not a single sample", func() error { _, err := plot.Percentiles([]plot.Curve{{}}, "", plot.Options{}); return err }},
		{"small", "a width of 3 pixels is not between 240 and 10000", func() error { _, err := plot.Percentiles(one, "", plot.Options{Width: 3}); return err }},
		{"flat", "a height of 240 pixels leaves no room for the data", func() error { _, err := plot.Percentiles(many[:35], "", plot.Options{Height: 240}); return err }},
		{"no times", "wrk2.txt: cannot be drawn: a percentile table has no times", func() error { _, err := plot.NewSeries(table, "", ""); return err }},
		{"25", "25 timelines: at most 24 fit", func() error { _, err := plot.Timeline(make([]plot.Series, 25), "", plot.Options{}); return err }},
		{"no interval", "there is not a single sample", func() error { _, err := plot.Timeline(timeline[:0], "", plot.Options{}); return err }},
		{"a file", "a file does not say at which rate", func() error { _, _, _, err := plot.Ladders([]source.Source{table}); return err }},
		{"one rate", "no two of 2 cells differ only in their rate", func() error {
			_, _, _, err := plot.Ladders([]source.Source{sources[0], sources[2]})
			return err
		}},
	} {
		if err := tt.err(); !errors.Is(err, plot.ErrInput) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestATagThatIsNotThere(t *testing.T) {
	s := find(t, sample(t))[0]
	_, err := plot.NewCurve([]source.Source{s}, "lga", "")
	if !errors.Is(err, source.ErrTag) || !strings.Contains(err.Error(), "it has hiccup, response, service") {
		t.Errorf("curve: %v", err)
	}
	if _, err := plot.NewSeries(s, "lga", ""); !errors.Is(err, source.ErrTag) {
		t.Errorf("timeline: %v", err)
	}
}

// A cell in which nothing came back is shown as nothing, beside the others.
func TestACellWithoutAReply(t *testing.T) {
	sources := find(t, resultstest.Write(t, "dead",
		resultstest.Cell{Target: "nats", Rate: 10, Seconds: [][]time.Duration{{time.Millisecond}}},
		resultstest.Cell{Target: "redis", Rate: 10, Missing: 10}))
	all, _ := curves(t, sources)
	if c := all[1]; len(c.Line) > 0 || len(c.Marks) > 0 || !c.Beyond {
		t.Errorf("%+v", c)
	}
	must(t)(plot.Percentiles(all, "", plot.Options{}))
	over, _ := timelines(t, sources)
	must(t)(plot.Timeline(over, "", plot.Options{}))
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
		c, err := plot.NewCurve([]source.Source{{Path: "x", Table: &table, Missing: missing}}, "", "x")
		if err != nil {
			t.Fatal(err)
		}
		axis := plot.Linear
		if logarithm {
			axis = plot.Log
		}
		chart, err := plot.Percentiles([]plot.Curve{c}, "", plot.Options{Axis: axis})
		if errors.Is(err, plot.ErrInput) {
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
	found, _, err := source.Find([]string{"../../histogram/testdata/golden/stall.hgrm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	curve, err := plot.NewCurve(found, "", found[0].Name())
	if err != nil {
		fmt.Println(err)
		return
	}
	chart, err := plot.Percentiles([]plot.Curve{curve}, "", plot.Options{Axis: plot.Log, Height: 500})
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

package plot_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results/resultstest"
	"github.com/brokerbench/brokerbench/results/source"
)

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

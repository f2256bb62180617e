package plot_test

import (
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/source"
)

func TestWhatCannotBeDrawn(t *testing.T) {
	sources := find(t, sample(t))
	table := find(t, "testdata/wrk2.txt")[0]
	one, _ := curves(t, sources[:1])
	many := make([]input.Curve, 36)
	for i := range many {
		many[i] = one[0]
	}
	timeline, _ := timelines(t, sources[:1])
	for _, tt := range []struct {
		name string
		err  func() error
	}{
		{"many", func() error { _, err := plot.Percentiles(many, "", plot.Options{}); return err }},
		{"none", func() error { _, err := plot.Percentiles([]input.Curve{{}}, "", plot.Options{}); return err }},
		{"small", func() error { _, err := plot.Percentiles(one, "", plot.Options{Width: 3}); return err }},
		{"flat", func() error { _, err := plot.Percentiles(many[:35], "", plot.Options{Height: 240}); return err }},
		{"no times", func() error { _, err := input.NewSeries(table, "", ""); return err }},
		{"61", func() error { _, err := plot.Timeline(make([]input.Series, 61), "", plot.Options{}); return err }},
		{"no interval", func() error { _, err := plot.Timeline(timeline[:0], "", plot.Options{}); return err }},
		{"a file", func() error { _, _, _, err := input.Ladders([]source.Source{table}); return err }},
		{"one rate", func() error {
			_, _, _, err := input.Ladders([]source.Source{sources[0], sources[2]})
			return err
		}},
	} {
		if err := tt.err(); !errors.Is(err, input.ErrInput) {
			t.Errorf("%s: %v, want %v", tt.name, err, input.ErrInput)
		}
	}
}

func TestATagThatIsNotThere(t *testing.T) {
	s := find(t, sample(t))[0]
	_, err := input.NewCurve([]source.Source{s}, "lga", "")
	if !errors.Is(err, source.ErrTag) {
		t.Errorf("curve: %v", err)
	}
	if _, err := input.NewSeries(s, "lga", ""); !errors.Is(err, source.ErrTag) {
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

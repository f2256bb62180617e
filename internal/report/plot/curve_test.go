package plot

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/source"
)

// The band contains the line, and is as wide as is known where that is known.
func TestBandFollowsTheLine(t *testing.T) {
	ms := func(v float64) time.Duration { return time.Duration(v * 1e6) }
	c := input.Curve{
		Line: []input.Point{{Percentile: 0, Value: ms(1)}, {Percentile: 85, Value: ms(1)}, {Percentile: 88, Value: ms(100)}, {Percentile: 90, Value: ms(200)}},
		Band: []input.Point{{Percentile: 50, Value: ms(1), Low: ms(0.9), High: ms(1.1)}, {Percentile: 90, Value: ms(200), Low: ms(180), High: ms(300)}},
	}
	drawn := confidence(c, inksOf(palette.Light).stroke(palette.Nth(0, 0)), 1)
	points := drawn[0].(area).points
	if len(drawn) != 1 || len(points) != 8 {
		t.Fatalf("%+v", drawn)
	}
	for i, p := range c.Line[1:3] {
		high, low := points[1+i], points[len(points)-2-i]
		if v := millis(p.Value); high.x != p.Percentile || low.x != p.Percentile || high.y <= v*1.1 || high.y >= v*1.5 || low.y >= v || low.y < v*0.89 {
			t.Errorf("at p%v of %v ms the band is from %v to %v", p.Percentile, v, low.y, high.y)
		}
	}
	if bars := confidence(c, inksOf(palette.Light).stroke(palette.Nth(0, 0)), maxBands+1); len(bars) != 2 || bars[1].(line).points[1].y != 300 {
		t.Errorf("bars of many curves: %+v", bars)
	}
}

func TestQuantityOf(t *testing.T) {
	for want, tags := range map[string][]string{
		"Response time": {source.Response, source.Response}, "Service time": {source.Service}, "Hiccup": {source.Hiccup},
		"Latency": {source.Response, source.Service}, "Corrected service time": {source.Corrected},
	} {
		if got := quantityOf(tags); got != want {
			t.Errorf("%q is called %q, want %q", tags, got, want)
		}
	}
}

// Intervals that follow each other are one line; a gap, or one with too few
// samples, breaks it.
func TestRuns(t *testing.T) {
	at := func(from, count int64) input.Span {
		return input.Span{From: time.Duration(from) * time.Second, To: time.Duration(from+1) * time.Second, Count: count}
	}
	p99 := func(s input.Span) time.Duration { return s.P99 }
	got := runs(levelsOf([]input.Span{at(0, 50), at(1, 50), at(2, 3), at(3, 50), at(7, 50)}, 10, p99))
	if len(got) != 3 || len(got[0]) != 2 || len(got[1]) != 1 || len(got[2]) != 1 {
		t.Errorf("%+v", got)
	}
	if got := runs(nil); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

package html

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// A page of a long log has as many lines as one of a short log, and all messages.
func TestALongLogMakesAShortPage(t *testing.T) {
	for _, seconds := range []int{1, 7, mostLines, mostLines + 1, 5*mostLines + 3} {
		line := newTimeline()
		for second := range seconds {
			h := histogram.New()
			h.Record(time.Duration(1+second%50) * time.Millisecond)
			h.Record(time.Millisecond)
			from := time.Duration(second) * time.Second
			for _, tag := range []string{"response", "lag", "unknown"} {
				if err := line.add(histogram.Entry{Tag: tag, Start: from, Length: time.Second, Histogram: h}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for second := range int64(seconds) {
			line.addUsage(results.Usage{FromNS: second * 1e9, ToNS: (second + 1) * 1e9, Go: results.GoUsage{GCCycles: 1}})
		}
		list := line.intervals()
		values, collections := int64(0), int64(0)
		for i, l := range list {
			for _, b := range l.response {
				values += b.count
			}
			collections += l.Usage.Go.GCCycles
			if l.Lag == nil || l.Held != nil || i > 0 && l.From != list[i-1].To {
				t.Fatalf("%d seconds: %+v after %+v", seconds, l, list[max(i-1, 0)])
			}
		}
		if len(list) > mostLines || len(list) < min(seconds, mostLines/2) || list[len(list)-1].To != int64(seconds)*1000 {
			t.Errorf("%d seconds: %d lines", seconds, len(list))
		}
		if values != 2*int64(seconds) || collections != int64(seconds) {
			t.Errorf("%d seconds: %d values, %d collections", seconds, values, collections)
		}
	}
}

// What the timeline shows of a histogram is what the histogram says.
func TestABriefIsThatOfTheHistogram(t *testing.T) {
	h := histogram.New()
	for i := range time.Duration(1000) {
		h.Record(i * i * time.Microsecond)
	}
	s, err := newSparse(h, histogram.New())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *s.brief(), (brief{int64(h.Quantile(50)), int64(h.Quantile(99)), int64(h.Max())}); got[0] != want[0] || got[1] != want[1] || got[2] < want[2] {
		t.Errorf("%v, want %v", got, want)
	}
}

// A dense log, whose every second has thousands of buckets, is bounded, too.
func TestADenseLogIsBounded(t *testing.T) {
	dense := histogram.New()
	for v := time.Duration(1); v < time.Hour; v += v/900 + 1 {
		dense.Record(v)
	}
	line := newTimeline()
	for second := range 600 {
		e := histogram.Entry{Tag: "response", Start: time.Duration(second) * time.Second, Length: time.Second, Histogram: dense}
		if err := line.add(e); err != nil {
			t.Fatal(err)
		}
		if line.buckets > mostBuckets {
			t.Fatalf("%d buckets after %d s", line.buckets, second)
		}
	}
	if t.Logf("%d lines of %d buckets", len(line.lines), line.buckets); len(line.lines) < 30 {
		t.Errorf("%d lines are left", len(line.lines))
	}
}

package histogram

import (
	"slices"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// library returns the library's histogram of the same values.
func library(t testing.TB, h *Histogram) *hdr.Histogram {
	t.Helper()
	l := hdr.New(h.low, h.top, h.digits)
	for v, count := range h.recorded() {
		ok(t, l.RecordValues(v, count))
	}
	return l
}

// payload returns a histogram as the library writes it into a log.
func payload(t testing.TB, h *Histogram) string {
	t.Helper()
	text, err := library(t, h).Encode(hdr.V2CompressedEncodingCookieBase)
	ok(t, err)
	return string(text)
}

// TestEncodingIsTheLibrarys expects the library to decode our encoding and its own to
// the same counts, and an encoder to allocate nothing when it is used again.
func TestEncodingIsTheLibrarys(t *testing.T) {
	var e encoder
	histograms := map[string]*Histogram{
		"empty": New(), "zeros": of(0, 0, 0), "one": of(1), "an hour": of(Highest), "both ends": of(0, Highest),
		"random": random(1, 100_000), "neighbours": of(2048, 2049, 2050, 2052), "huge counts": New(),
	}
	histograms["huge counts"].add(7, 1<<61)
	histograms["huge counts"].add(12_345, 1<<56)
	for _, digits := range []int{0, 1, 2, 5} {
		h := kind(1000, Highest, digits)
		h.Record(3 * time.Second)
		histograms["digits "+string(rune('0'+digits))] = h
	}
	for name, h := range histograms {
		got, err := hdr.Decode(slices.Clone(e.encode(h)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := hdr.Decode([]byte(payload(t, h)))
		if err != nil || !got.Equals(want) || got.TotalCount() != h.Count() {
			t.Errorf("%s: %d values up to %d, want %d up to %d (%v)", name, got.TotalCount(), got.Max(), want.TotalCount(), want.Max(), err)
		}
	}
	h := random(2, 20_000)
	if n := testing.AllocsPerRun(20, func() { e.encode(h) }); n != 0 {
		t.Errorf("%v allocations for each encoding", n)
	}
}

func BenchmarkEncode(b *testing.B) {
	h := random(3, 20_000)
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		var e encoder
		for b.Loop() {
			e.encode(h)
		}
	})
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		l := library(b, h)
		for b.Loop() {
			_, err := l.Encode(hdr.V2CompressedEncodingCookieBase)
			ok(b, err)
		}
	})
}

func BenchmarkMergeASecond(b *testing.B) {
	second := New() // what a second at 3,000/s touches
	for i := range 3000 {
		second.Record(time.Duration(80_000 + i*i/3))
	}
	b.Run("ours", func(b *testing.B) {
		total := New()
		for b.Loop() {
			ok(b, total.Merge(second))
		}
	})
	b.Run("library", func(b *testing.B) {
		l, total := library(b, second), library(b, New())
		for b.Loop() {
			total.Merge(l)
		}
	})
}

// wrap copies a histogram of the library.
func wrap(inner *hdr.Histogram) *Histogram {
	g := newGeometry(inner.LowestTrackableValue(), inner.HighestTrackableValue(), int(inner.SignificantFigures()))
	h := newHistogram(g)
	for i, count := range inner.Export().Counts {
		if count != 0 {
			h.add(h.value(i), count)
		}
	}
	if h.count > 0 {
		h.min, h.max = inner.Min(), inner.Max()
	}
	return &h
}

package histogram_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

// logOf writes histograms of random values, and returns their sum.
func logOf(t testing.TB, seed uint64) (text string, sum *histogram.Histogram) {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 1))
	var out bytes.Buffer
	log := histogram.NewLogWriter(&out, time.Unix(100, 0))
	sum = histogram.New()
	for second := range 5 {
		h := histogram.New()
		for range draw.IntN(2000) {
			h.Record(time.Duration(draw.ExpFloat64() * float64(time.Duration(1)<<draw.IntN(42))))
		}
		if err := errors.Join(log.Write("a", time.Duration(second)*time.Second, time.Duration(second+1)*time.Second, h), sum.Merge(h)); err != nil {
			t.Fatal(err)
		}
	}
	return out.String(), sum
}

// Adding lines is decoding and merging them, to the last bucket.
func TestLinesAddUpToTheirHistograms(t *testing.T) {
	for seed := range uint64(20) {
		text, sum := logOf(t, seed)
		log, err := histogram.ReadLog(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r, got := histogram.NewLogReader(strings.NewReader(text)), histogram.New()
		var d histogram.Decoder
		for i := 0; ; i++ {
			l, err := r.NextLine()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if e := log.Entries[i]; l.Tag != e.Tag || l.Start != e.Start || l.Length != e.Length {
				t.Errorf("line %d is %+v, want %s at %v", i, l, e.Tag, e.Start)
			}
			if err := d.Add(l, got); err != nil {
				t.Fatal(err)
			}
		}
		merged, err := log.Merged("a")
		if err != nil {
			t.Fatal(err)
		}
		if got.Min() != merged.Min() || got.Max() != merged.Max() {
			t.Errorf("from %v to %v, want %v to %v", got.Min(), got.Max(), merged.Min(), merged.Max())
		}
		if err := got.SetExtremes(sum.Min(), sum.Max(), 0); err != nil {
			t.Error(err)
		}
		var a, b bytes.Buffer
		if err := errors.Join(histogram.WritePercentiles(&a, got), histogram.WritePercentiles(&b, sum)); err != nil || a.String() != b.String() {
			t.Errorf("seed %d: the sums differ, %v", seed, err)
		}
	}
}

// A log that was cut ends before the cut.
func TestALineThatWasCutIsLeftOut(t *testing.T) {
	text, _ := logOf(t, 1)
	r := histogram.NewLogReader(strings.NewReader(text[:len(text)-2]))
	n := 0
	for {
		if _, err := r.NextLine(); err != nil {
			break
		}
		n++
	}
	if n != 4 || !r.Truncated() {
		t.Errorf("%d lines, truncated: %v; want 4", n, r.Truncated())
	}
}

func FuzzLines(f *testing.F) {
	text, _ := logOf(f, 1)
	f.Add(text)
	f.Add("0.000,1.000,1.000,HISTF\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := histogram.NewLogReader(strings.NewReader(text))
		var d histogram.Decoder
		for range 10 {
			l, err := r.NextLine()
			if err != nil {
				return
			}
			h := histogram.New()
			if d.Add(l, h) == nil && h.Count() > 0 && (h.Min() > h.Max() || h.Max() > histogram.Highest+time.Minute) {
				t.Errorf("%d values from %v to %v", h.Count(), h.Min(), h.Max())
			}
		}
	})
}

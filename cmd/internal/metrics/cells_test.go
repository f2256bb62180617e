package metrics

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/brokerbench/brokerbench/histogram"
)

// targets returns the targets of a family's metrics.
func targets(f *dto.MetricFamily) (names []string) {
	for _, m := range f.GetMetric() {
		names = append(names, m.GetLabel()[slices.IndexFunc(m.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName() == "target" })].GetValue())
	}
	slices.Sort(names)
	return names
}

func TestNothingIsServedBeforeTheFirstInterval(t *testing.T) {
	s := serve(t)
	between := progress("nats")
	between.Interval = false
	s.Progress(between)
	if got := scrape(t, s); len(got) != 0 {
		t.Errorf("served: %v", got)
	}
}

func TestEveryMetricIsServed(t *testing.T) {
	s := serve(t)
	s.Progress(progress("nats", time.Millisecond, 2*time.Millisecond))
	got := scrape(t, s)
	for name, want := range map[string]float64{
		"brokerbench_rate_ops_per_second": 2999, "brokerbench_outstanding_ops": 7, "brokerbench_lag_p99_seconds": 20e-6,
		"brokerbench_hiccup_max_seconds": 1e-3, "brokerbench_verdict": 1,
		"brokerbench_response_p50_seconds": 1e-3, "brokerbench_response_p99_seconds": 2e-3,
		"brokerbench_response_p99_9_seconds": 3e-3, "brokerbench_response_max_seconds": 4e-3,
	} {
		if len(got[name].GetMetric()) != 1 || got[name].GetMetric()[0].GetGauge().GetValue() != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
		if !strings.Contains(got[name].GetHelp(), "for watching, not for the record") {
			t.Errorf("%s: help %q", name, got[name].GetHelp())
		}
	}
	m := got["brokerbench_response_seconds"].GetMetric()
	if len(m) != 1 || m[0].GetHistogram().GetSampleCount() != 2 || math.Abs(m[0].GetHistogram().GetSampleSum()-0.003) > 3e-6 {
		t.Fatalf("response: %v", m)
	}
	labels := make(map[string]string)
	for _, l := range m[0].GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	want := map[string]string{
		"target": "nats", "rate": "3000", "size": "1024", "connections": "25", "in_flight": "1", "arrivals": "constant", "repeat": "2",
	}
	if !maps.Equal(labels, want) {
		t.Errorf("labels %v, want %v", labels, want)
	}
	if len(got) != len(gauges)+1 {
		t.Errorf("%d metrics, want %d: %v", len(got), len(gauges)+1, got)
	}
}

// A text scrape gets what text can hold, and no secret.
func TestAsText(t *testing.T) {
	s := serve(t)
	s.Progress(progress("nats", time.Millisecond))
	text, _ := get(t, s, expfmt.NewFormat(expfmt.TypeTextPlain))
	if !strings.Contains(string(text), "brokerbench_response_seconds_count{") || strings.Contains(string(text), "secret") {
		t.Errorf("%s", text)
	}
}

// In the warm-up no response time, no lag and no verdict is known.
func TestTheUnknownIsNotServed(t *testing.T) {
	s := serve(t)
	now := progress("nats")
	now.Verdict, now.Done = "", 0
	s.Progress(now)
	got := scrape(t, s)
	if got["brokerbench_lag_p99_seconds"] != nil || got["brokerbench_response_p50_seconds"] != nil || got["brokerbench_verdict"] != nil || got["brokerbench_rate_ops_per_second"] == nil {
		t.Errorf("served: %v", slices.Collect(maps.Keys(got)))
	}
}

// The response times of the cell before stay, for a slow scraper; its gauges
// would be wrong by now.
func TestTheCellBeforeStays(t *testing.T) {
	s := serve(t)
	for _, target := range []string{"kafka", "nats", "redis", "redis"} {
		s.Progress(progress(target, time.Millisecond))
	}
	got := scrape(t, s)
	if names := targets(got["brokerbench_response_seconds"]); !slices.Equal(names, []string{"nats", "redis"}) {
		t.Errorf("response times of %v", names)
	}
	if names := targets(got["brokerbench_verdict"]); !slices.Equal(names, []string{"redis"}) {
		t.Errorf("verdicts of %v", names)
	}
}

// What was scraped does not change with the histogram that it was made of.
func TestProgressKeepsNothingOfTheHistogram(t *testing.T) {
	s := serve(t)
	now := progress("nats", time.Millisecond)
	s.Progress(now)
	now.Response.Record(time.Second)
	if n := scrape(t, s)["brokerbench_response_seconds"].GetMetric()[0].GetHistogram().GetSampleCount(); n != 1 {
		t.Errorf("%d response times, want 1", n)
	}
}

// quantile returns the bounds in which Prometheus finds a quantile, in seconds:
// those of the bucket that holds its rank.
func quantile(h *dto.Histogram, p float64) (low, high float64) {
	rank := math.Ceil(p/100*float64(h.GetSampleCount()) - 1e-6)
	below, count, index := float64(h.GetZeroCount()), int64(0), int32(0)
	if rank <= below {
		return 0, 0
	}
	width := math.Exp2(math.Exp2(-float64(h.GetSchema())))
	delta := h.GetPositiveDelta()
	for _, span := range h.GetPositiveSpan() {
		index += span.GetOffset()
		for range span.GetLength() {
			count, delta = count+delta[0], delta[1:]
			if below += float64(count); below >= rank {
				high = math.Pow(width, float64(index))
				return high / width, high
			}
			index++
		}
	}
	return math.NaN(), math.NaN()
}

// The native histogram's quantiles are ours, to within a bucket of theirs (2.2 %).
func TestQuantilesAgreeWithOurs(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func() time.Duration{
		"exponential": func() time.Duration { return time.Duration(draw.ExpFloat64() * float64(300*time.Microsecond)) },
		"log-normal":  func() time.Duration { return time.Duration(math.Exp(draw.NormFloat64()*2) * float64(time.Millisecond)) },
		"two modes": func() time.Duration {
			return time.Duration(draw.IntN(2))*time.Second + time.Duration(draw.IntN(1000))*time.Microsecond
		},
		"powers of two": func() time.Duration { return time.Second >> draw.IntN(10) },
		"the range":     func() time.Duration { return time.Duration(draw.Int64N(int64(histogram.Highest))) >> draw.IntN(41) },
	} {
		var times []time.Duration
		for range 50_000 {
			times = append(times, next())
		}
		now := progress("nats", times...)
		s := serve(t)
		s.Progress(now)
		h := scrape(t, s)["brokerbench_response_seconds"].GetMetric()[0].GetHistogram()
		for _, p := range []float64{0.1, 1, 10, 50, 90, 99, 99.9, 99.99, 100} {
			low, high := quantile(h, p)
			ours := now.Response.Quantile(p).Seconds()
			if !(ours <= high*(1+1e-12) && (ours > low || ours == high)) {
				t.Errorf("%s: p%v is %v s, theirs is in (%v, %v]", name, p, ours, low, high)
			}
		}
		if mean := h.GetSampleSum() / float64(h.GetSampleCount()); math.Abs(mean-now.Response.Mean().Seconds()) > 1e-9 {
			t.Errorf("%s: mean %v s, ours %v", name, mean, now.Response.Mean())
		}
	}
}

func TestBuckets(t *testing.T) {
	for d, want := range map[time.Duration]int{
		time.Second: 0, time.Second + 1: 1, time.Second - 1: 0, 2 * time.Second: 32, time.Second / 2: -32, time.Second/2 + 1: -31,
		time.Duration(1.0219 * 1e9 * 1): 2, time.Duration(1.0218 * 1e9): 1, 1: -956,
	} {
		if got := bucket(d); got != want {
			t.Errorf("%v is in bucket %d, want %d", d, got, want)
		}
	}
}

// BenchmarkProgress is the cost of one interval.
func BenchmarkProgress(b *testing.B) {
	draw := rand.New(rand.NewPCG(1, 2))
	now := progress("nats")
	for range 1_000_000 {
		now.Response.Record(time.Duration(math.Exp(draw.NormFloat64()) * float64(time.Millisecond)))
	}
	var c cells
	b.ReportAllocs()
	for b.Loop() {
		c.progress(now)
	}
}

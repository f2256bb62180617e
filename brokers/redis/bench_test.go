package redis

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/schedule"
)

// variants are options to compare.
var variants = []string{"", "?protocol=3", "?read-buffer=1048576"}

// BenchmarkRoundTrip sends one message at a time, as soon as the last is back.
func BenchmarkRoundTrip(b *testing.B) {
	url := brokertest.URL(b, "REDIS")
	for _, options := range variants {
		for _, size := range []int{256, 1 << 10, 64 << 10, 1 << 20} {
			b.Run(options+"/"+strconv.Itoa(size), func(b *testing.B) { benchRoundTrip(b, openURL(b, url+options), size) })
		}
	}
}

// BenchmarkPipelined is both with a goroutine that pipelines through go-redis.
func BenchmarkPipelined(b *testing.B) {
	url := brokertest.URL(b, "REDIS")
	for _, size := range []int{256, 1 << 20} {
		b.Run("RoundTrip/"+strconv.Itoa(size), func(b *testing.B) { benchRoundTrip(b, pipelinedFactory{openURL(b, url)}, size) })
	}
	b.Run("3000", func(b *testing.B) { benchPaced(b, pipelinedFactory{openURL(b, url)}, 3000, 1) })
	b.Run("20000x25", func(b *testing.B) { benchPaced(b, pipelinedFactory{openURL(b, url)}, 20000, 25) })
}

func benchRoundTrip(b *testing.B, f requester.Factory, size int) {
	back := make(chan struct{}, 1)
	r, _ := f.New(0, func([]byte) { back <- struct{}{} })
	if err := r.Setup(b.Context()); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Teardown(context.Background()) }()
	message, took := payload(0, 1, size), make(times, 0, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		start := time.Now()
		if err := r.Request(b.Context(), message); err != nil {
			b.Fatal(err)
		}
		<-back
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	took.report(b)
}

// BenchmarkPaced sends 1 KiB on schedule with the engine and reports responses.
// The time of an op is the schedule's: look at p50 and p99.
func BenchmarkPaced(b *testing.B) {
	url := brokertest.URL(b, "REDIS")
	for _, options := range variants {
		b.Run("3000/"+options, func(b *testing.B) { benchPaced(b, openURL(b, url+options), 3000, 1) })
	}
	for _, options := range variants {
		b.Run("20000x25/"+options, func(b *testing.B) { benchPaced(b, openURL(b, url+options), 20000, 25) })
	}
}

func benchPaced(b *testing.B, f requester.Factory, rate, connections int) {
	took := &responses{}
	window := time.Duration(b.N) * time.Second / time.Duration(rate)
	b.ReportAllocs()
	outcome, err := load.Run(b.Context(), f, load.Config{
		Schedule: schedule.Spec{Rate: rate, Duration: window + time.Second}, Warmup: time.Second,
		Size: 1024, Connections: connections,
	}, took, load.Hooks{})
	if err != nil {
		b.Fatal(err)
	}
	if outcome.Window.Done != outcome.Window.Due {
		b.Errorf("ledger %+v, failures %v, events %v", outcome.Window, outcome.Failures, outcome.Events)
	}
	took.times.report(b)
}

// responses is a load.Recorder that keeps every response time.
type responses struct {
	mu    sync.Mutex
	times times
}

func (r *responses) Record(op load.Op) {
	if op.Warmup {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, op.Response())
}

type times []time.Duration

func (t times) report(b *testing.B) {
	if len(t) == 0 {
		return
	}
	slices.Sort(t)
	b.ReportMetric(float64(t[len(t)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(t[len(t)*99/100].Microseconds()), "p99-µs")
}

package rabbitmq

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/schedule"
	amqp "github.com/rabbitmq/amqp091-go"
)

// variants are options to compare.
var variants = []string{
	"", "mandatory=false", "separate-connections=true", "confirm=true", "prefetch=100", "exchange=topic",
	"durable=true", "durable=true&persistent=true&confirm=true", "durable=true&queue-type=quorum&confirm=true",
}

// BenchmarkRoundTrip sends one message at a time, as soon as the last is back.
// "client" is amqp091-go without this package: the difference is ours.
func BenchmarkRoundTrip(b *testing.B) {
	for _, options := range variants {
		b.Run("256B/"+options, func(b *testing.B) { benchRoundTrip(b, running(b, options), 256) })
	}
	b.Run("256B/client", func(b *testing.B) { benchClient(b, running(b, ""), 256) })
	for _, size := range []int{16, 1 << 10, 64 << 10, 1 << 20} {
		b.Run("size="+strconv.Itoa(size), func(b *testing.B) { benchRoundTrip(b, running(b, ""), size) })
	}
	b.Run("256B/TLS", func(b *testing.B) { benchRoundTrip(b, factory(b, brokertest.URL(b, "RABBITMQ_TLS"), ""), 256) })
}

func benchRoundTrip(b *testing.B, f *Factory, size int) {
	back := make(chan struct{}, 1)
	r, _ := f.New(0, func([]byte) { back <- struct{}{} })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.Setup(ctx); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Teardown(context.Background()) }()
	measure(b, payload(0, 1, size), func(message []byte) error {
		err := r.Request(b.Context(), message)
		if err == nil {
			<-back
		}
		return err
	})
}

// benchClient does the same with amqp091-go alone.
func benchClient(b *testing.B, f *Factory, size int) {
	l, err := f.connect(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	defer l.close()
	queue := f.queue(0)
	measure(b, payload(0, 1, size), func(message []byte) error {
		err := l.publisher.channel.Publish("", queue, true, false, amqp.Publishing{DeliveryMode: amqp.Transient, Body: message})
		if err == nil {
			<-l.deliveries
		}
		return err
	})
}

// measure reports the times of round trips.
func measure(b *testing.B, message []byte, roundTrip func([]byte) error) {
	took := make(times, 0, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		start := time.Now()
		if err := roundTrip(message); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	took.report(b)
}

// BenchmarkPaced sends on schedule with the engine and reports responses. The
// time of an op is the schedule's: look at p50 and p99.
func BenchmarkPaced(b *testing.B) {
	for _, cell := range []struct {
		name                    string
		rate, size, connections int
	}{{"1KiBx3000", 3000, 1 << 10, 1}, {"1MiBx100", 100, 1 << 20, 1}, {"1KiBx10000on25", 10000, 1 << 10, 25}} {
		for _, options := range variants {
			b.Run(cell.name+"/"+options, func(b *testing.B) {
				benchPaced(b, running(b, options), load.Config{
					Schedule: schedule.Spec{Rate: cell.rate}, Size: cell.size, Connections: cell.connections,
				})
			})
		}
	}
}

func benchPaced(b *testing.B, f *Factory, cfg load.Config) {
	took := &responses{}
	window := time.Duration(b.N) * time.Second / time.Duration(cfg.Schedule.Rate)
	cfg.Warmup, cfg.Schedule.Duration = time.Second, window+time.Second
	b.ReportAllocs()
	outcome, err := load.Run(b.Context(), f, cfg, took, load.Hooks{})
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

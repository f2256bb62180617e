package brokertest

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// BenchRoundTrips measures each size with each of the variants of options: one message at a time,
// as soon as the last is back.
func BenchRoundTrips[F requester.Factory](b *testing.B, open Open[F], url string, variants []string, sizes ...int) {
	for _, options := range variants {
		for _, size := range sizes {
			b.Run(options+"/"+strconv.Itoa(size), func(b *testing.B) { inTurn(b, Opened(b, open, url, options), size, false, true) })
		}
	}
}

// Acks sends one message at a time, as soon as the last is acknowledged; with back, as soon as
// it has also come back.
func Acks(b *testing.B, f requester.Factory, back bool) {
	b.Helper()
	inTurn(b, f, 1<<10, true, back)
}

// inTurn sends one message after another, and waits each time until it is acknowledged, until it
// is back, or both.
func inTurn(b *testing.B, f requester.Factory, size int, acks, replies bool) {
	b.Helper()
	l, acked, back := requestertest.NewLink(b, f, 0), make(chan struct{}, 1), make(chan struct{}, 1)
	l.Reply = func([]byte) {}
	if replies {
		l.Reply = func([]byte) { back <- struct{}{} }
	}
	if acks {
		l.Acked = func([]byte) { acked <- struct{}{} }
	}
	if err := l.Begin(); err != nil {
		b.Fatal(err)
	}
	Measure(b, requestertest.Payload(0, 1, size), func(message []byte) error {
		if err := l.Request(b.Context(), message); err != nil {
			return err
		}
		if acks {
			<-acked
		}
		if replies {
			<-back
		}
		return nil
	})
}

// Measure reports how long round trips of a message take, one after the other.
func Measure(b *testing.B, message []byte, roundTrip func([]byte) error) {
	b.Helper()
	took := make([]time.Duration, 0, b.N)
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
	report(b, took)
}

func report(b *testing.B, took []time.Duration) {
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// A Pace is what BenchPaced sends.
type Pace struct {
	Name                    string
	Rate, Size, Connections int
}

// Paces are a rate with a core to spare, and one without on two cores.
var Paces = []Pace{{"3000", 3000, 1024, 1}, {"20000x25", 20000, 1024, 25}}

// BenchPaced measures each pace with each of the variants of options.
func BenchPaced[F requester.Factory](b *testing.B, open Open[F], url string, variants []string, paces ...Pace) {
	for _, pace := range paces {
		for _, options := range variants {
			b.Run(pace.Name+"/"+options, func(b *testing.B) { paced(b, Opened(b, open, url, options), pace) })
		}
	}
}

// paced sends on schedule with the engine and reports responses. The time of an
// op is the schedule's: look at p50 and p99.
func paced(b *testing.B, f requester.Factory, pace Pace) {
	b.Helper()
	r := &responses{}
	window := time.Duration(b.N) * time.Second / time.Duration(pace.Rate)
	b.ReportAllocs()
	outcome, err := load.Run(b.Context(), f, load.Config{
		Schedule: schedule.Spec{Rate: schedule.Rate(pace.Rate), Duration: window + time.Second}, Warmup: time.Second,
		Size: pace.Size, Connections: pace.Connections,
		NewWaiter: load.KernelWaiter(load.DefaultSpin(schedule.Rate(pace.Rate), 1, float64(runtime.NumCPU()))),
	}, r, load.Hooks{})
	if err != nil {
		b.Fatal(err)
	}
	if outcome.Window.Done != outcome.Window.Due {
		b.Errorf("ledger %+v, failures %v, events %v", outcome.Window, outcome.Failures, outcome.Events)
	}
	report(b, r.took)
}

// responses is a load.Recorder that keeps every response time.
type responses struct {
	mu   sync.Mutex
	took []time.Duration
}

// Record implements load.Recorder.
func (r *responses) Record(op load.Op) {
	if op.Warmup {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = append(r.took, op.Response())
}

// BenchAudits measures with each of the variants of options how long an audit takes of so many
// messages of 1 KiB.
func BenchAudits[F requester.Factory](b *testing.B, open Open[F], url string, variants []string, messages int) {
	for _, options := range variants {
		b.Run(options, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				f := Opened(b, open, url, options)
				l := requestertest.Store(b, f, 0, messages, 1<<10)
				b.StartTimer()
				n := 0
				if err := requester.Factory(f).(requester.Auditor).Audit(b.Context(), func([]byte) { n++ }); err != nil || n != messages+1 { // the probe, too
					b.Fatalf("%d messages, %v", n, err)
				}
				b.StopTimer()
				l.End(b)
				b.StartTimer()
			}
			b.ReportMetric(float64(messages)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

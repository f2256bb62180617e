package brokertest

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// BenchRoundTrips measures each size with each of the variants of options: one message at a time,
// as soon as the last is back.
func BenchRoundTrips[F requester.Factory](b *testing.B, open Opener[F], url string, variants []string, sizes ...int) {
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
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

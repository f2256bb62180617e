package kafka

import (
	"strconv"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// variants are options to compare.
var variants = []string{
	"acks=1", "acks=0", "acks=all", "acks=all&idempotent=true",
	"requests-in-flight=1", "requests-in-flight=32", "compression=lz4", "fetch-max-wait=50ms",
}

// BenchmarkRoundTrip sends one message at a time, as soon as the last is back.
func BenchmarkRoundTrip(b *testing.B) {
	url := brokertest.URL(b, "KAFKA")
	for _, options := range variants {
		b.Run(options, func(b *testing.B) { brokertest.RoundTrips(b, open(b, url, options), 256) })
	}
	for _, size := range []int{16, 1 << 10, 64 << 10, 1 << 20} {
		b.Run("size="+strconv.Itoa(size), func(b *testing.B) { brokertest.RoundTrips(b, open(b, url, ""), size) })
	}
}

// BenchmarkPaced sends 1 KiB on schedule with the engine and reports responses.
// The time of an op is the schedule's: look at p50 and p99.
func BenchmarkPaced(b *testing.B) {
	url := brokertest.URL(b, "KAFKA")
	for _, options := range variants {
		b.Run("3000/"+options, func(b *testing.B) { brokertest.Paced(b, open(b, url, options), 3000, 1024, 1) })
	}
	for _, options := range variants {
		b.Run("20000x25/"+options, func(b *testing.B) { brokertest.Paced(b, open(b, url, options), 20000, 1024, 25) })
	}
}

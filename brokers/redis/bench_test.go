package redis

import (
	"strconv"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// variants are options to compare.
var variants = []string{"", "?protocol=3", "?read-buffer=1048576"}

// BenchmarkRoundTrip sends one message at a time, as soon as the last is back.
func BenchmarkRoundTrip(b *testing.B) {
	url := brokertest.URL(b, "REDIS")
	for _, options := range variants {
		for _, size := range []int{256, 1 << 10, 64 << 10, 1 << 20} {
			b.Run(options+"/"+strconv.Itoa(size), func(b *testing.B) { brokertest.RoundTrips(b, openURL(b, url+options), size) })
		}
	}
}

// BenchmarkPipelined is both with a goroutine that pipelines through go-redis.
func BenchmarkPipelined(b *testing.B) {
	url := brokertest.URL(b, "REDIS")
	for _, size := range []int{256, 1 << 20} {
		b.Run("RoundTrip/"+strconv.Itoa(size), func(b *testing.B) { brokertest.RoundTrips(b, pipelinedFactory{openURL(b, url)}, size) })
	}
	b.Run("3000", func(b *testing.B) { brokertest.Paced(b, pipelinedFactory{openURL(b, url)}, 3000, 1024, 1) })
	b.Run("20000x25", func(b *testing.B) { brokertest.Paced(b, pipelinedFactory{openURL(b, url)}, 20000, 1024, 25) })
}

// BenchmarkPaced sends 1 KiB on schedule with the engine and reports responses.
// The time of an op is the schedule's: look at p50 and p99.
func BenchmarkPaced(b *testing.B) {
	url := brokertest.URL(b, "REDIS")
	for _, options := range variants {
		b.Run("3000/"+options, func(b *testing.B) { brokertest.Paced(b, openURL(b, url+options), 3000, 1024, 1) })
	}
	for _, options := range variants {
		b.Run("20000x25/"+options, func(b *testing.B) { brokertest.Paced(b, openURL(b, url+options), 20000, 1024, 25) })
	}
}

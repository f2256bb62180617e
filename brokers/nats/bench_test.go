package nats

import (
	"os"
	"strconv"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// variants are who writes to the socket: Publish itself, or nats.go's flusher.
var variants = []string{"?write-buffer=1", "?write-buffer=32768"}

// benchURL returns a server in a process of its own if there is one, and else one
// in this process, which is a little too fast.
func benchURL(b *testing.B) string {
	if url := os.Getenv("BROKERBENCH_NATS_URL"); url != "" {
		return url
	}
	return serve(b, nil).ClientURL()
}

// BenchmarkRoundTrip sends one message at a time, as soon as the last is back.
func BenchmarkRoundTrip(b *testing.B) {
	url := benchURL(b)
	for _, options := range variants {
		for _, size := range []int{256, 1 << 10, 64 << 10, 1 << 20} {
			b.Run(options+"/"+strconv.Itoa(size), func(b *testing.B) { brokertest.RoundTrips(b, openURL(b, url+options), size) })
		}
	}
}

// BenchmarkPaced sends 1 KiB on schedule with the engine and reports responses.
// The time of an op is the schedule's: look at p50 and p99.
func BenchmarkPaced(b *testing.B) {
	url := benchURL(b)
	for _, options := range variants {
		b.Run("3000/"+options, func(b *testing.B) { brokertest.Paced(b, openURL(b, url+options), 3000, 1024, 1) })
	}
	for _, options := range variants {
		b.Run("20000x25/"+options, func(b *testing.B) { brokertest.Paced(b, openURL(b, url+options), 20000, 1024, 25) })
	}
}

package nats

import (
	"os"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// variants are who writes to the socket: Publish itself, or nats.go's flusher.
var variants = []string{"write-buffer=1", "write-buffer=32768"}

// benchURL returns a server in a process of its own if there is one, and else one
// in this process, which is a little too fast.
func benchURL(b *testing.B) string {
	if url := os.Getenv("BROKERBENCH_NATS_URL"); url != "" {
		return url
	}
	return serve(b, nil).ClientURL()
}

func BenchmarkRoundTrip(b *testing.B) {
	brokertest.BenchRoundTrips(b, Open, benchURL(b), variants, 256, 1<<10, 64<<10, 1<<20)
}

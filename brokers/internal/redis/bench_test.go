package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// variants are options to compare.
var variants = []string{"", "protocol=3", "read-buffer=1048576"}

func BenchmarkRoundTrip(b *testing.B) {
	brokertest.BenchRoundTrips(b, Open, brokertest.URL(b, "REDIS"), variants, 256, 1<<10, 64<<10, 1<<20)
}

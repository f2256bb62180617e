package kafka

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
)

// variants are options to compare.
var variants = []string{
	"acks=1", "acks=0", "acks=all", "acks=all&idempotent=true",
	"requests-in-flight=1", "requests-in-flight=32", "compression=lz4", "fetch-max-wait=50ms",
}

func BenchmarkRoundTrip(b *testing.B) {
	url := brokertest.URL(b, "KAFKA")
	brokertest.BenchRoundTrips(b, Open, url, variants, 256)
	brokertest.BenchRoundTrips(b, Open, url, []string{""}, 16, 1<<10, 64<<10, 1<<20)
}

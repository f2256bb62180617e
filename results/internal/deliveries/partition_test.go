package deliveries_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/results/internal/deliveries"
)

func TestExtremes(t *testing.T) {
	p99 := int64(4_512_345)
	list := []deliveries.Partition{{Number: 0, Messages: 10}, {Number: 1, Messages: 89, P99NS: &p99}, {Number: 2, Messages: 1}, {Number: 3}}
	if got, want := deliveries.Extremes(list), "the hottest of 4 partitions is 1 with 89 messages (89.0 %), p99 4.51 ms, the coldest 3 with 0 messages (0.0 %)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := deliveries.Extremes(nil); got != "" {
		t.Errorf("of none: %s", got)
	}
}

// What comes from many partitions together is neither the hottest nor the coldest.
func TestPartitionsAboveTheLastAreNoPartition(t *testing.T) {
	list := []deliveries.Partition{{Number: 0, Messages: 30}, {Number: 1, Messages: 20}, {Number: 2, Messages: 50, AndAbove: true}}
	if got, want := deliveries.Extremes(list), "the hottest of the first 2 partitions is 0 with 30 messages (30.0 %), the coldest 1 with 20 messages (20.0 %)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

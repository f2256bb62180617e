package histogram

import (
	"testing"
	"time"
)

// TestBuckets asks for every rank through a percentile: it has the value of its
// bucket, or the exact maximum in the last one.
func TestBuckets(t *testing.T) {
	h := random(5, 4000)
	rank, last := int64(0), time.Duration(-1)
	for v, count := range h.Buckets() {
		if v <= last || count < 1 {
			t.Fatalf("%d values up to %d after %d", count, v, last)
		}
		last = v
		for range count {
			rank++
			if got, want := h.at(rank), min(v, h.Max()); got != want {
				t.Fatalf("rank %d is %d, want %d", rank, got, want)
			}
		}
	}
	if rank != h.Count() || last < h.Max() {
		t.Errorf("%d values up to %d, want %d up to %d", rank, last, h.Count(), h.Max())
	}
}

func TestBucketsEndEarlyAndMayBeNone(t *testing.T) {
	for v, count := range New().Buckets() {
		t.Errorf("an empty histogram has %d values up to %v", count, v)
	}
	visited := 0
	for range upTo(10).Buckets() {
		visited++
		break
	}
	if visited != 1 {
		t.Errorf("visited %d buckets, want 1", visited)
	}
}

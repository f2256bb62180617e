//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
)

// Replies take 3 ms in the first 25 ms of each second, and 1 ms in the rest.
func TestRecorderSeparatesMessagesDueEarlyInASecond(t *testing.T) {
	r := newRecorder()
	for due := time.Duration(0); due < 3*time.Second; due += 10 * time.Millisecond {
		took := time.Millisecond
		if due%time.Second < earlyPart {
			took = 3 * time.Millisecond
		}
		r.Record(load.Op{Due: due, Done: due + took, Warmup: due < time.Second})
	}
	if r.early.Quantile(50) != 3*time.Millisecond || r.rest.Quantile(50) != time.Millisecond || r.early.Count() != 6 || r.rest.Count() != 194 {
		t.Errorf("early %v of %d, rest %v of %d", r.early.Quantile(50), r.early.Count(), r.rest.Quantile(50), r.rest.Count())
	}
}

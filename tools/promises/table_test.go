//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/witness"
	"github.com/brokerbench/brokerbench/results"
)

func TestMilliseconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		94_400 * time.Nanosecond: "0.094", 1700 * time.Microsecond: "1.7", 18 * time.Millisecond: "18", 180 * time.Millisecond: "180", 1234 * time.Millisecond: "1234",
	} {
		if got := milliseconds(int64(d)); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// A loss names its confirmation.
func TestLosses(t *testing.T) {
	one, two := witness.Message{1}, witness.Message{2}
	seen := witness.Events{{Kind: witness.Acked, Message: one}, {Kind: witness.Acked, Message: two}, {Kind: witness.Delivered, Message: one}}
	for want, a := range map[string]*results.Audit{
		"1 of 2 ✓":                    {Acked: 2, Kept: 1, Missing: 1, Taken: true},
		"1 of 3, the witness: 1 of 2": {Acked: 3, Kept: 2, Missing: 1, Taken: true},
		"2 of 2, the witness: 1 of 2": {Acked: 2, Missing: 2, Taken: true},
		"not decided: gone away":      {Error: "gone away", Taken: true},
	} {
		if got := (outcome{audit: a, witness: confirmation(&results.Cell{Audit: a, ElapsedNS: 1}, seen)}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

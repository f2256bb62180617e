//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
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

// Each broker has a row, also one that was not measured.
func TestCrashesAreRows(t *testing.T) {
	cell := func(a *results.Audit) *results.Cell {
		return &results.Cell{Plan: plan.Cell{Target: plan.Target{Name: "nats"}}, Ledger: results.Ledger{Due: 10, Done: 7, Failed: 2, Lost: 1}, Audit: a}
	}
	var r rows
	r.addCrash(requester.None, 1, "nats", cell(nil), "")
	r.addCrash(requester.Accepted, 1, "nats", cell(&results.Audit{Acked: 9, Kept: 4, Missing: 5}), "")
	r.addCrash(requester.Process, 1, "nats", cell(&results.Audit{Acked: 9, Kept: 9}), "")
	r.addCrash(requester.Machine, 1, "nats", cell(&results.Audit{Error: "gone away"}), "")
	r.addCrash(requester.Node, 3, "nats", nil, "no leader")
	golden.Check(t, "crashes.md", crashTable(r))
}

//go:build linux

package main

import (
	"strings"
	"testing"
	"time"

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

// A row says what was promised and kept, and a broker that was not measured has one, too.
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
	text := crashTable(r)
	for _, want := range []string{
		"7 of 10, 2 failed, 1 lost", "nothing was promised", "LOST 5 messages", "all kept", "not known: gone away", "not measured: no leader",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func TestTheTable(t *testing.T) {
	where := place{
		began: time.Date(2026, 11, 21, 8, 30, 0, 0, time.FixedZone("CET", 3600)),
		environment: results.Environment{
			OS: "linux/amd64", Kernel: "6.18.44", Go: "go1.26.8", CPU: "AMD EPYC", CPUs: 2,
			MemoryBytes: 24 << 30, ClockSource: "tsc",
		},
		load: "0.08 0.20 0.40", rounds: 3, window: 4 * time.Second,
		brokers: []requester.Description{{Product: "NATS", Version: "2.15.2", Client: "github.com/nats-io/nats.go@v1.55.0"}},
	}
	got := where.write([]row{
		over("NATS: response p50 over the loop by hand", series{81_400, 80_100, 92_000}, series{83_000, 79_000, 90_000}, duration, 1.05),
		over("RabbitMQ: response p50 over the loop by hand", series{160e3}, series{150e3}, duration, 1.05),
		atLeast("NATS: reached", series{19_000, 20_000, 18_000}, perSecond, 19_900),
		unbounded("memory", series{33.4e6, 33.1e6, 35e6}, megabytes),
		notMeasured("Kafka, 1 KiB at 3,000/s on one connection", "a|b: cannot be\nreached"),
	})
	golden.Check(t, "table.md", got)
}

func TestReplaceTouchesOnlyWhatIsBetweenTheMarks(t *testing.T) {
	document := filepath.Join(t.TempDir(), "performance.md")
	write := func(between string) string { return "# Head\n\n" + beginMark + between + endMark + "\n\nTail\n" }
	for _, old := range []string{write("\n"), write("\nold table\n"), write("")} {
		if err := os.WriteFile(document, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing more
			if err := replace(document, "new table\n"); err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(document)
			if want := write("\n\nnew table\n\n"); string(got) != want {
				t.Errorf("from %q: got %q, want %q", old, got, want)
			}
		}
	}
}

func TestReplaceNeedsBothMarks(t *testing.T) {
	document := filepath.Join(t.TempDir(), "performance.md")
	for _, old := range []string{"", "no marks", beginMark, endMark, endMark + beginMark} {
		if err := os.WriteFile(document, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		err := replace(document, "new table\n")
		if err == nil || !strings.Contains(err.Error(), document) {
			t.Errorf("%q: got error %v, want one that names %s", old, err, document)
		}
		if got, _ := os.ReadFile(document); string(got) != old {
			t.Errorf("%q became %q in spite of the error", old, got)
		}
	}
}

// TestThePerformanceDocument wants the document of this repository to be one that
// `make bench` can rewrite.
func TestThePerformanceDocument(t *testing.T) {
	text, err := os.ReadFile("../../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := between(text, ""); err != nil {
		t.Error(err)
	}
}

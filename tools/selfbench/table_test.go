//go:build linux

package main

import (
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func TestRowsJudgeTheInterval(t *testing.T) {
	for _, tc := range []struct {
		figure       figure
		ours, theirs []float64
		want         []string // measured, 95 %, bound, ok?, every round
	}{
		{figure{"at the bound", duration, 2e3, 0}, []float64{3e3, 1e3, 2e3}, nil, []string{"2.00 µs", "", "≤ 2.00 µs", "ok", "3.00 µs 1.00 µs 2.00 µs"}},
		{figure{"above it", duration, 2e3, 0}, []float64{2001, 9e9, 1}, nil, []string{"2.00 µs", "", "≤ 2.00 µs", "ABOVE", "2.00 µs 9.00 s 1.00 ns"}},
		{figure{"a difference below 0", thousandths, 0.001, 0}, []float64{-0.0001}, nil, []string{"0.000", "", "≤ 0.001", "ok", "0.000"}},
		{figure{"enough", perSecond, 0, 20_000}, []float64{20_000}, nil, []string{"20000/s", "", "≥ 20000/s", "ok", "20000/s"}},
		{figure{"too little", perSecond, 0, 20_000}, []float64{19_999, 30_000, 10}, nil, []string{"19999/s", "", "≥ 20000/s", "BELOW", "19999/s 30000/s 10/s"}},
		{figure{"no bound", megabytes, 0, 0}, []float64{1e6}, nil, []string{"1.0 MB", "", "", "", "1.0 MB"}},
		{
			figure{"a ratio of medians", duration, 1, 0},
			[]float64{1e3, 9e3, 2e3},
			[]float64{2e3, 2e3, 1e3},
			[]string{"1.00 (2.00 µs over 2.00 µs)", "", "≤ 1.00", "ok", "1.00 µs 9.00 µs 2.00 µs over 2.00 µs 2.00 µs 1.00 µs"},
		},
		{figure{"a ratio above", duration, 1.05, 0}, []float64{106}, []float64{100}, []string{"1.06 (106 ns over 100 ns)", "", "≤ 1.05", "ABOVE", "106 ns over 100 ns"}},
		{
			figure{"below, without doubt", ratio, 1.05, 0},
			[]float64{0.9, 0.91, 0.9, 0.92, 0.9},
			nil,
			[]string{"0.90", "0.89 – 0.92", "≤ 1.05", "ok", "0.90 0.91 0.90 0.92 0.90"},
		},
		{
			figure{"about the bound", duration, 1.05, 0},
			[]float64{104, 110, 103, 105, 106},
			[]float64{100, 100, 100, 100, 100},
			[]string{"1.05 (105 ns over 100 ns)", "1.02 – 1.09", "≤ 1.05", "not decided", "104 ns 110 ns 103 ns 105 ns 106 ns over 100 ns 100 ns 100 ns 100 ns 100 ns"},
		},
		{
			figure{"above, whatever the machine does", duration, 1.05, 0},
			[]float64{120, 240, 480, 960, 1920},
			[]float64{100, 200, 400, 800, 1600},
			[]string{"1.20 (480 ns over 400 ns)", "1.20 – 1.20", "≤ 1.05", "ABOVE", "120 ns 240 ns 480 ns 960 ns 1.92 µs over 100 ns 200 ns 400 ns 800 ns 1.60 µs"},
		},
		{
			figure{"about the least", perSecond, 0, 100},
			[]float64{90, 100, 105, 98, 103},
			nil,
			[]string{"100/s", "92/s – 107/s", "≥ 100/s", "not decided", "90/s 100/s 105/s 98/s 103/s"},
		},
	} {
		want := append([]string{"part: " + tc.figure.what}, tc.want...)
		if got := tc.figure.row("part", tc.ours, tc.theirs); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDurationsHaveThreeDigits(t *testing.T) {
	for ns, want := range map[float64]string{
		7: "7.00 ns", 228: "228 ns", 999: "999 ns", 1000: "1.00 µs", 9994: "9.99 µs", 9996: "10.0 µs", 81_440: "81.4 µs",
		99_960: "100 µs", 999_400: "999 µs", 999_600: "1.00 ms", 2_345_000: "2.35 ms", 1.5e9: "1.50 s",
	} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%v) = %q, want %q", ns, got, want)
		}
	}
	if got, want := thousandths(-0.0001), "0.000"; got != want {
		t.Errorf("thousandths(-0.0001) = %q, want %q", got, want)
	}
}

func TestTheTables(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 30, 0, 0, time.FixedZone("CET", 3600))
	e := results.Environment{
		OS: "linux/amd64", Kernel: "6.18.44", Go: "go1.26.8", CPU: "AMD EPYC", CPUs: 2,
		MemoryBytes: 24 << 30, ClockSource: "tsc",
	}
	b := bench{rounds: 3, window: 4 * time.Second, brokers: map[string]broker{
		"nats":  {what: requester.Description{Product: "NATS", Version: "2.15.2", Client: "github.com/nats-io/nats.go@v1.55.0"}},
		"redis": {missing: "why"}, "rabbitmq": {missing: "why"}, "kafka": {missing: "why"},
	}}
	golden.Check(t, "table.md", b.where(at, 31*time.Minute+7*time.Second, e, "0.08 0.20 0.40").Markdown()+"\n"+table([][]string{
		figure{"response p50 over the loop by hand", duration, 1.05, 0}.row("NATS", []float64{81_400, 80_100, 92_000}, []float64{83_000, 79_000, 90_000}),
		notMeasured("Kafka, 1 KiB at 3,000/s on one connection", "a|b: cannot be\nreached"),
	}).Markdown())
}

//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// loadAverages returns those of the machine, "" if unknown.
func loadAverages() string {
	text, _ := os.ReadFile("/proc/loadavg")
	load := strings.Fields(string(text))
	return strings.Join(load[:min(3, len(load))], " ")
}

// where says when, where and with what is measured.
func (b bench) where(at time.Time, e results.Environment, load string) document.Table {
	rows := [][]string{
		{"date", at.UTC().Format("2006-01-02 15:04 UTC")},
		{"machine", fmt.Sprintf("%d × %s, %.0f GiB, clock source %s", e.CPUs, e.CPU, float64(e.MemoryBytes)/(1<<30), e.ClockSource)},
		{"kernel, Go", fmt.Sprintf("%s %s, %s", e.OS, e.Kernel, e.Go)},
		{"load averages before", load},
		{"rounds", fmt.Sprintf("%d of %v after the warm-up; by hand: %d of %v", b.rounds, b.window, b.halved().rounds, b.halved().window)},
	}
	for _, name := range names {
		if found := b.brokers[name]; found.missing == "" {
			rows = append(rows, []string{found.what.Product, found.what.Version + ", through " + found.what.Client})
		}
	}
	return document.Table{Head: []string{"", ""}, Rows: rows}
}

//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// marks are those between which a document holds what a make target writes.
type marks struct{ begin, end string }

var benchMarks, soakMarks = marksOf("bench"), marksOf("soak")

func marksOf(target string) marks {
	return marks{"<!-- begin: written by make " + target + " -->", "<!-- end: written by make " + target + " -->"}
}

// loadAverages returns those of the machine, "" if unknown.
func loadAverages() string {
	text, _ := os.ReadFile("/proc/loadavg")
	load := strings.Fields(string(text))
	return strings.Join(load[:min(3, len(load))], " ")
}

// where says when, where and with what was measured, and how long that took.
func (b bench) where(at time.Time, took time.Duration, e results.Environment, load string) document.Table {
	rows := [][]string{
		{"date", at.UTC().Format("2006-01-02 15:04 UTC")},
		{"took", took.Round(time.Second).String()},
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

// replace puts text between the marks of a document.
func (m marks) replace(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, begun := bytes.Cut(old, []byte(m.begin))
	_, tail, ended := bytes.Cut(rest, []byte(m.end))
	if !begun || !ended {
		return fmt.Errorf("%s does not hold the lines %q and %q", path, m.begin, m.end)
	}
	text = fmt.Sprintf("%s%s\n\n%s\n%s%s", head, m.begin, text, m.end, tail)
	return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // it is there, and for everyone to read
}

//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// The marks between which a document holds the table.
const (
	beginMark = "<!-- begin: written by make bench -->"
	endMark   = "<!-- end: written by make bench -->"
)

// A place says where and when was measured, and with what.
type place struct {
	began       time.Time
	environment results.Environment
	load        string // the machine's load averages before
	rounds      int
	window      time.Duration
	brokers     []requester.Description
}

// here describes this machine, before anything is measured.
func here(b bench) place {
	p := place{began: time.Now(), environment: measure.Environment(), rounds: b.rounds, window: b.window}
	text, _ := os.ReadFile("/proc/loadavg") // unknown is empty
	p.load = strings.Join(strings.Fields(string(text))[:min(3, len(strings.Fields(string(text))))], " ")
	for _, name := range []string{"nats", "redis", "rabbitmq", "kafka"} {
		if found := b.brokers[name]; found.missing == "" {
			p.brokers = append(p.brokers, found.what)
		}
	}
	return p
}

// write returns the table and what is above it, in Markdown.
func (p place) write(table []row) string {
	var b strings.Builder
	e := p.environment
	line := func(name, text string) { fmt.Fprintf(&b, "| %s | %s |\n", cell(name), cell(text)) }
	fmt.Fprint(&b, "| | |\n|---|---|\n")
	line("date", p.began.UTC().Format("2006-01-02 15:04 UTC"))
	line("machine", fmt.Sprintf("%d × %s, %.0f GiB, clock source %s", e.CPUs, e.CPU, float64(e.MemoryBytes)/(1<<30), e.ClockSource))
	line("kernel, Go", fmt.Sprintf("%s %s, %s", e.OS, e.Kernel, e.Go))
	line("load averages before", p.load)
	line("rounds", fmt.Sprintf("%d of %v after the warm-up; by hand: %d of %v", p.rounds, p.window, 2*p.rounds+1, p.window/2))
	for _, d := range p.brokers {
		line(d.Product, d.Version+", through "+d.Client)
	}
	fmt.Fprint(&b, "\n| what | measured | bound | ok? | every round |\n|---|---|---|---|---|\n")
	for _, r := range table {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cell(r.what), cell(r.measured), cell(r.bound), cell(r.verdict), cell(r.rounds))
	}
	return b.String()
}

// cell makes text fit for one cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// replace puts text between the marks of a document.
func replace(document, text string) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	replaced, err := between(old, text)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(document, replaced, 0o644) //nolint:gosec // it is there, and for everyone to read
}

// between replaces what is between the marks, and nothing else.
func between(old []byte, text string) ([]byte, error) {
	head, rest, ok := bytes.Cut(old, []byte(beginMark))
	_, tail, ended := bytes.Cut(rest, []byte(endMark))
	if !ok || !ended {
		return nil, fmt.Errorf("it does not hold the lines %q and %q", beginMark, endMark)
	}
	return fmt.Appendf(nil, "%s%s\n\n%s\n%s%s", head, beginMark, text, endMark, tail), nil
}

// Package doctor examines the machine before something is measured on it: clock,
// timers, cores, limits, the disk. It takes about five seconds and leaves nothing behind. From its
// findings follow the questions that the machine can answer.
package doctor

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
)

// A State is the judgement of a finding.
type State string

// The states.
const (
	Good    State = "good"
	Bad     State = "bad"     // the finding has a remedy
	Unknown State = "unknown" // the system does not show it
	Note    State = "note"    // neither good nor bad; good to know when reading the numbers
)

// A Finding is one thing that was examined.
type Finding struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Value  string `json:"value"` // the finding, in numbers
	Remedy string `json:"remedy,omitempty"`
}

// Needs are the needs of a plan. A zero field means the least.
type Needs struct {
	Connections int // at once
	Size        int // bytes of a message
	Senders     int // threads that send
	Sockets     int // of one connection; 0 means 2

	Rate float64 // messages per second; 0: unknown
	Data string  // the folder in which brokers keep their data; "": that of temporary files
}

// An Examination is what is known of a machine.
type Examination struct {
	Findings  []Finding  `json:"findings"`
	Questions []Question `json:"questions"` // of studies; empty if the examination was interrupted
}

// Examine examines this machine. When ctx ends it returns what it has found so
// far.
func Examine(ctx context.Context, needs Needs) Examination {
	findings := examine(ctx, needs)
	if ctx.Err() != nil {
		return Examination{Findings: findings}
	}
	return Examination{findings, answers(findings, needs)}
}

func examine(ctx context.Context, needs Needs) []Finding {
	needs.Connections, needs.Senders = max(needs.Connections, 1), max(needs.Senders, 1)
	system := machine.ReadSystem("/")
	sampler, allowed := machine.NewSampler(), readBandwidth(system)
	findings := append([]Finding{kernel(system), virtual(system)}, clocks(system)...)
	findings = append(findings, timers(ctx)...)
	if ctx.Err() != nil {
		return findings
	}
	findings = append(findings, contention(sampler.Sample(func() {}))...)
	findings = append(findings, cores(machine.ReadCores(), needs), governor(system), turbo(system))
	findings = append(findings, quota(allowed, readBandwidth(system))...)
	findings = append(findings, descriptors(needs), ports(system, needs), memory(system, needs), swap(system))
	return append(findings, root(os.Geteuid()), storage(ctx, needs))
}

func good(name, value string) Finding    { return Finding{Name: name, State: Good, Value: value} }
func unknown(name, value string) Finding { return Finding{Name: name, State: Unknown, Value: value} }
func note(name, value string) Finding    { return Finding{Name: name, State: Note, Value: value} }

// judge returns a finding that is good, or bad with a remedy.
func judge(name, value string, ok bool, remedy string) Finding {
	if ok {
		return good(name, value)
	}
	return Finding{Name: name, State: Bad, Value: value, Remedy: remedy}
}

// micros writes a duration with three digits: more are noise of three seconds.
func micros(d time.Duration) string {
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

// mebibytes writes bytes with three digits or so: 97 MiB, 22.2 GiB.
func mebibytes(bytes int64) string {
	if bytes >= 10<<30 {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// Package host describes machines: the findings of doctor, where a measurement was made, and the floors of
// disks.
package host

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/machine/doctor"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// Doctor lists the findings of doctor, and the questions that the machine can answer. In text, a remedy is on a
// separate line.
func Doctor(e doctor.Examination) *document.Document {
	text, all := document.Table{}, document.Table{Head: []string{"state", "what", "found", "remedy"}}
	for _, f := range e.Findings {
		state := string(f.State)
		all.Rows = append(all.Rows, []string{state, f.Name, f.Value, f.Remedy})
		if f.State == doctor.Bad {
			state = "BAD"
		}
		text.Rows = append(text.Rows, []string{state, f.Name, f.Value})
		if f.Remedy != "" {
			text.Rows = append(text.Rows, []string{"", "", "→ " + f.Remedy})
		}
	}
	var d document.Document
	d.ShowAs(text.Text(), all)
	d.Note(fitness(e.Findings))
	asked := document.Table{Head: []string{"question", "answer", "why"}}
	for _, q := range e.Questions {
		asked.Rows = append(asked.Rows, []string{q.Name, string(q.Answer), q.Why})
		all.Rows = append(all.Rows, []string{string(q.Answer), q.Name, q.Why, ""})
	}
	if len(asked.Rows) > 0 {
		d.Gap()
		d.Title("Can this machine answer it?")
		d.Show(asked)
	}
	d.Exact(all, e)
	return &d
}

// fitness sums up findings. Notes are neither good nor bad.
func fitness(findings []doctor.Finding) string {
	of := make(map[doctor.State]int)
	for _, f := range findings {
		of[f.State]++
	}
	bad, unknown, checks := of[doctor.Bad], of[doctor.Unknown], len(findings)-of[doctor.Note]
	are := "are"
	if bad == 1 {
		are = "is"
	}
	text := fmt.Sprintf("%d of %s %s bad", bad, words.Plural(checks, "check"), are)
	if unknown > 0 {
		text += fmt.Sprintf(", %d unknown", unknown)
	}
	if bad > 0 {
		text += ": latencies measured on this machine are doubtful"
	}
	return text + "."
}

// Where describes the time and the machine of a measurement, as the first rows of a table. load
// holds the machine's load averages before it; "" if they are unknown.
func Where(at time.Time, took time.Duration, e results.Environment, load string) document.Table {
	return document.Table{Head: []string{"", ""}, Rows: [][]string{
		{"date", at.UTC().Format("2006-01-02 15:04 UTC")},
		{"took", took.Round(time.Second).String()},
		{"machine", fmt.Sprintf("%d × %s, %.0f GiB, clock source %s", e.CPUs, e.CPU, float64(e.MemoryBytes)/(1<<30), e.ClockSource)},
		{"kernel, Go", fmt.Sprintf("%s %s, %s", e.OS, e.Kernel, e.Go)},
		{"load averages before", load},
	}}
}

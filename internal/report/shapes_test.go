package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// four returns a run of four targets at four shapes, whose reasons are alike.
func four() (results.Run, []*results.Cell) {
	run := results.Run{Name: "four"}
	var cells []*results.Cell
	for _, shape := range []plan.Shape{
		{Rate: 3000, Size: 256, Connections: 1},
		{Rate: 3000, Size: 1024, Connections: 1},
		{Rate: 20_000, Size: 256, Connections: 25},
		{Rate: 20_000, Size: 1024, Connections: 25},
	} {
		for i, target := range []string{"kafka", "nats", "rabbitmq-quorum-queue", "redis"} {
			c := cell(target, shape, results.Ledger{Due: 12_000, Done: 12_000}, time.Duration(4-i)*100*time.Microsecond)
			c.Judge([]results.Problem{
				{Code: results.CodeSteal, Severity: results.Valid, Limits: []results.Limit{{Series: "response", Percentiles: []float64{99.9, 100}}}, Text: "the hypervisor took 2 % of the time"},
				{Code: results.CodeSharedMachine, Severity: results.Valid, Text: "client and broker share this machine: they compete for its cores"},
			})
			inEnvironment(c)
			cells = append(cells, c)
			run.Cells = append(run.Cells, results.Entry{ID: c.ID, Verdict: c.Verdict})
		}
	}
	return run, cells
}

// narrow writes a document as a terminal of so many columns shows it.
func narrow(t *testing.T, d *document.Document, columns int) string {
	t.Helper()
	d.Columns = columns
	text := written(t, d, document.Text)
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns {
			t.Errorf("%d columns of %d: %s", n, columns, line)
		}
	}
	return text
}

// A run of 16 cells answers in 45 lines at 80 columns.
func TestRunAnswersFirst(t *testing.T) {
	run, cells := four()
	d := report.Run(run, cells, nil, false)
	for _, columns := range []int{80, 100, 120} {
		text := narrow(t, d, columns)
		if n := strings.Count(text, "\n"); n > 45 {
			t.Errorf("%d columns: %d lines", columns, n)
		}
		golden.Check(t, fmt.Sprintf("shapes-%d.txt", columns), text)
	}
	d.Columns = 0
	golden.Check(t, "shapes.md", written(t, d, document.Markdown))
}

// One cell answers in 16 lines, whatever is wrong with it.
func TestOneCellFitsATerminal(t *testing.T) {
	run, cells := sample()
	for _, c := range cells {
		text := narrow(t, report.Run(results.Run{Name: run.Name, Command: []string{"brokerbench", "run"}}, []*results.Cell{c}, nil, false), 80)
		if n := strings.Count(text, "\n"); n > 16 {
			t.Errorf("%s: %d lines:\n%s", c.ID, n, text)
		}
	}
}

func TestDoubtfulRunsAnswerToo(t *testing.T) {
	run, cells := sample()
	golden.Check(t, "shapes-doubtful.txt", narrow(t, report.Run(run, cells, nil, false), 80))
	run, cells, list := repeats()
	golden.Check(t, "shapes-repeats.txt", narrow(t, report.Run(run, cells, list, false), 100))
}

// What limits only percentiles that nobody asked for is left to --details.
func TestReasonsAreForWhatWasAskedFor(t *testing.T) {
	run, cells := four()
	for _, c := range cells {
		c.Judge([]results.Problem{{Code: results.CodeFloor, Severity: results.Valid, Text: "p75 is near the floor", Limits: []results.Limit{{Series: "response", Percentiles: []float64{75}}}}})
	}
	if text := written(t, report.Run(run, cells, nil, false), document.Text); strings.Contains(text, "near the floor") {
		t.Error(text)
	}
	if text := written(t, report.Run(run, cells, nil, true), document.Text); !strings.Contains(text, "near the floor") {
		t.Error(text)
	}
}

// A terminal's colours add nothing: without them the text is the same.
func TestColoursOnlyStress(t *testing.T) {
	run, cells := sample()
	d := report.Run(run, cells, nil, false)
	plain := written(t, d, document.Text)
	d.Colour = true
	coloured := written(t, d, document.Text)
	if !strings.Contains(coloured, "\x1b[31mFAIL\x1b[0m") || !strings.Contains(coloured, "\x1b[33mUNDECIDED\x1b[0m") {
		t.Errorf("%q", coloured)
	}
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m"} {
		coloured = strings.ReplaceAll(coloured, code, "")
	}
	if coloured != plain {
		t.Errorf("got\n%s\nwant\n%s", coloured, plain)
	}
	if markdown := written(t, d, document.Markdown); strings.Contains(markdown, "\x1b") {
		t.Error("Markdown has colours")
	}
}

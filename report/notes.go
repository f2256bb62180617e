package report

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// legend explains the marks that the rows use, and no others.
func legend(d *document.Document, cells []*results.Cell) {
	rows := d.Text()
	explain := func(used bool, text string) {
		if used {
			d.Say(text)
		}
	}
	explain(strings.Contains(rows, "~"), fmt.Sprintf("~ fewer than %d ops above it: not to be relied on", histogram.MinAbove))
	explain(strings.Contains(rows, "?"), "? unknown: ops that are not done rank there")
	explain(strings.Contains(rows, "≥"), "≥ the largest that came back: ops that are not done rank above it")
	explain(anyMissing(cells), "ledger: done + F failed + L lost + U unsent = due")
}

func anyMissing(cells []*results.Cell) bool {
	for _, c := range cells {
		if c.Ledger.Missing() > 0 {
			return true
		}
	}
	return false
}

// problems says what there is to say about each cell; what holds for all of them
// is said once.
func problems(d *document.Document, cells []*results.Cell) {
	shared := inCommon(cells)
	for _, text := range shared {
		d.Say("note: " + text)
	}
	for _, c := range cells {
		for _, p := range c.Problems {
			if p.Severity != results.Valid || !contains(shared, p.Text) {
				d.Say(fmt.Sprintf("%s %s: %s", strings.ToUpper(label(p.Severity)), c.ID, p.Text))
			}
		}
	}
}

func label(severity results.Verdict) string {
	if severity == results.Valid {
		return "note"
	}
	return string(severity)
}

// inCommon returns the notes that every cell has.
func inCommon(cells []*results.Cell) (texts []string) {
	if len(cells) == 0 {
		return nil
	}
	for _, p := range cells[0].Problems {
		everywhere := p.Severity == results.Valid
		for _, c := range cells {
			everywhere = everywhere && has(c, p.Text)
		}
		if everywhere {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

func has(c *results.Cell, text string) bool {
	for _, p := range c.Problems {
		if p.Text == text {
			return true
		}
	}
	return false
}

func contains(texts []string, text string) bool {
	for _, t := range texts {
		if t == text {
			return true
		}
	}
	return false
}

// notMeasured lists the cells that gave no result, with the cause; those that
// share one are put together.
func notMeasured(d *document.Document, run results.Run) {
	counts := make(map[string]int)
	var causes []string
	for _, e := range run.Cells {
		if e.Verdict != "" {
			continue
		}
		cause := e.Error
		if cause == "" {
			cause = "not reached before the interruption"
		}
		if counts[cause] == 0 {
			causes = append(causes, cause)
		}
		counts[cause]++
	}
	for _, cause := range causes {
		d.Say(fmt.Sprintf("NOT MEASURED %s: %s", words.Plural(counts[cause], "cell"), cause))
	}
}

// brokers says, once for each target, what was measured, through which client
// and with which settings.
func brokers(d *document.Document, cells []*results.Cell) {
	said := make(map[string]bool)
	for _, c := range cells {
		if said[c.Plan.Target.Name] {
			continue
		}
		said[c.Plan.Target.Name] = true
		d.Say(c.Plan.Target.Name + ": " + describe(c.Broker))
	}
}

func describe(broker results.Broker) string {
	text := strings.TrimSpace(broker.Product + " " + broker.Version)
	if broker.Client != "" {
		text += " through " + broker.Client
	}
	for i, s := range broker.Settings {
		separator := " "
		if i == 0 {
			separator = "; "
		}
		text += separator + s.Name + "=" + quoteEmpty(s.Value)
	}
	return text
}

func quoteEmpty(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

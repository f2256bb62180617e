package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

// notMade: what was to break did not, or was not mended, so that what was measured is not what
// was asked for.
func notMade(c *results.Cell) results.Problem {
	var texts []string
	for _, f := range c.Faults {
		switch {
		case !f.Done():
			texts = append(texts, fmt.Sprintf("%s was not made: %s", f.Name(), f.Error))
		case f.Error != "":
			texts = append(texts, fmt.Sprintf("%s was not mended: %s", f.Name(), f.Error))
		}
	}
	return when(len(texts) > 0, results.Suspect, "%s", strings.Join(texts, "; "))
}

// faulted: percentiles of the window hold what the faults did, and so depend on how long it is
// besides.
func faulted(c *results.Cell) results.Problem {
	affected := int64(0)
	for _, f := range c.Faults {
		affected += f.Harm.Affected()
	}
	if affected == 0 || c.Ledger.Due == 0 {
		return results.Problem{}
	}
	share := min(float64(affected)/float64(c.Ledger.Due), 1)
	return limiting(within(c, share), "%s reached up to %d of %d messages: these percentiles depend on how long the window is besides",
		words.Plural(len(c.Faults), "fault"), affected, c.Ledger.Due)
}

// consequences are what faults bring about: of a cell whose plan breaks something they are no
// reason for doubt.
func consequences() []results.Code {
	return []results.Code{results.CodeMissing, results.CodeStrays, results.CodeEvents, results.CodeRate, results.CodeSteady, results.CodeWarmup}
}

// excused returns a problem of a cell, without its severity if faults brought it about.
// Messages that are missing from before the first fault stay what they are.
func excused(c *results.Cell, p results.Problem) results.Problem {
	if !broken(c) || !slices.Contains(consequences(), p.Code) {
		return p
	}
	if before := missingBefore(c); p.Code == results.CodeMissing && before > 0 {
		p.Text += fmt.Sprintf("; %d of them were due before the first fault", before)
		return p
	}
	p.Severity, p.Limits = results.Valid, nil
	return p
}

// broken tells whether something broke in a cell, or is to break while it runs.
func broken(c *results.Cell) bool {
	if c.Faults == nil {
		return len(c.Plan.Settings.Faults) > 0
	}
	return slices.ContainsFunc(c.Faults, results.Fault.Done)
}

// missingBefore returns how many messages of the window are missing that no fault accounts for.
func missingBefore(c *results.Cell) int64 {
	missing, begins := c.Ledger.Missing(), int64(1<<62)
	for _, f := range c.Faults {
		if f.Harm != nil {
			missing -= f.Harm.Failed + f.Harm.Lost
			begins = min(begins, f.Harm.FromNS)
		}
	}
	if begins < int64(c.Plan.Settings.Warmup) { // messages of the warm-up count for it, too
		return 0
	}
	return max(missing, 0)
}

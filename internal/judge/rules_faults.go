package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// notMade: a fault did not happen, or was not repaired, so the cell is not the one that the plan
// asked for.
func notMade(c *results.Cell) results.Problem {
	var texts []string
	for _, f := range c.Faults {
		switch {
		case !f.Done():
			texts = append(texts, fmt.Sprintf("%s was not made: %s", f.Name(), f.Error))
		case f.Error != "":
			texts = append(texts, fmt.Sprintf("%s was not healed: %s", f.Name(), f.Error))
		}
	}
	return when(len(texts) > 0, results.Suspect, "%s", strings.Join(texts, "; "))
}

// ended: a node ended by itself, which is not in the plan, and the numbers show the consequences.
// The end of a node during a fault of that node is a consequence of the fault.
func ended(c *results.Cell) results.Problem {
	var texts []string
	severity := results.Valid
	for _, e := range c.EndedNodes {
		text := fmt.Sprintf("node %s ended between %.1f and %.1f s", e.Node, float64(e.FromNS)/1e9, float64(e.ToNS)/1e9)
		if e.During != "" {
			text += ", during " + e.During
		} else {
			text += ", and no fault did that"
			severity = results.Suspect
		}
		texts = append(texts, text)
	}
	if more := len(texts) - mostNamedEnds; more > 0 {
		texts = append(texts[:mostNamedEnds], fmt.Sprintf("and %d more", more))
	}
	return when(len(texts) > 0, severity, "%s", strings.Join(texts, "; "))
}

// mostNamedEnds is how many ends a problem names.
const mostNamedEnds = 3

// faulted: percentiles of the window contain the effects of faults, and so depend on how long the
// rest of it is.
func faulted(c *results.Cell) results.Problem {
	return inPart(c, words.Plural(len(c.Faults), "fault"), c.Affected())
}

// drained: the same for the drain of a backlog.
func drained(c *results.Cell) results.Problem { return inPart(c, "the backlog", c.Backlog.Meanwhile()) }

func inPart(c *results.Cell, what string, affected int64) results.Problem {
	if affected == 0 || c.Ledger.Due == 0 {
		return results.Problem{}
	}
	return limiting(within(c, float64(affected)/float64(c.Ledger.Due)), "%s reached up to %d of %d messages: these percentiles depend on how long the rest of the window is",
		what, affected, c.Ledger.Due)
}

// consequences are problems that faults cause: in a cell whose plan has faults they are no reason
// for doubt.
func consequences() []results.Code {
	return []results.Code{results.CodeMissing, results.CodeStrays, results.CodeEvents, results.CodeRate, results.CodeSteady, results.CodeWarmup}
}

// excused returns a problem of a cell, without its severity if faults caused it. Messages
// that are missing from before the first fault still count. If no message was due and done well
// before the first fault, the target may not carry the rate even without faults.
func excused(c *results.Cell, p results.Problem) results.Problem {
	if !broken(c) || !slices.Contains(consequences(), p.Code) {
		return p
	}
	due, done := before(c)
	switch {
	case c.Faults == nil: // it still runs
	case due > 0 && !keepsUp(float64(done), float64(due)):
		p.Text += fmt.Sprintf("; of %d that were due before the first fault, %d are done", due, done)
		return p
	case due == 0:
		if p.Severity != results.Valid {
			p.Severity = results.Suspect
		}
		p.Text += "; nothing was due and done before the first fault: how the target behaves without it is unknown"
		return p
	}
	if missing := due - done; p.Code == results.CodeMissing && missing > 0 {
		p.Severity = results.Suspect
		p.Text += fmt.Sprintf("; %d of them were due before the first fault", missing)
		return p
	}
	p.Severity, p.Limits = results.Valid, nil
	return p
}

// before returns how many messages of the window were due before the span of the first fault, and
// how many of them are done.
func before(c *results.Cell) (due, done int64) {
	for _, f := range c.Faults {
		if f.Impact != nil {
			return f.Impact.BaseDue, f.Impact.BaseDone
		}
	}
	return 0, 0
}

// broken reports whether a fault happened in a cell, or is planned while it runs.
func broken(c *results.Cell) bool {
	if c.Faults == nil {
		return len(c.Plan.Settings.Faults) > 0
	}
	return slices.ContainsFunc(c.Faults, results.Fault.Done)
}

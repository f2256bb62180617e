package measure

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/results"
)

// The limits of the rules below.
const (
	rateTolerance = 0.01 // of the offered rate
)

// tablePercentiles are those that the table shows: a cell in which one of them is
// unknown is invalid.
func tablePercentiles() []float64 { return []float64{50, 99, 99.9, 99.99} }

// problems applies every rule to a cell.
func problems(c *results.Cell, shared bool) []results.Problem {
	return slices.Concat(interruption(c), missing(c), strays(c), clamped(c), rate(c), noticed(c), machine(shared))
}

func problem(code string, severity results.Verdict, format string, args ...any) []results.Problem {
	return []results.Problem{{Code: code, Severity: severity, Text: fmt.Sprintf(format, args...)}}
}

// interruption: what came in before the interruption is right, but it is not
// what was asked for.
func interruption(c *results.Cell) []results.Problem {
	if !c.Interrupted {
		return nil
	}
	return problem("interrupted", results.Invalid, "interrupted: %d ops were due until then", c.Ledger.Due)
}

// missing: ops that are not done rank above every reply. Where they reach a
// percentile of the table, that one is unknown.
func missing(c *results.Cell) []results.Problem {
	l := c.Ledger
	if l.Due == 0 && !c.Interrupted {
		return problem("empty", results.Invalid, "no op was due in the window")
	}
	if l.Missing() == 0 {
		return nil
	}
	severity := results.Suspect
	for _, p := range tablePercentiles() {
		if row, ok := c.Response.At(p); ok && row.ValueNS == nil {
			severity = results.Invalid
		}
	}
	text := fmt.Sprintf("%d of %d ops are not done (%.4f %%): %d failed, %d lost, %d unsent",
		l.Missing(), l.Due, 100*float64(l.Missing())/float64(l.Due), l.Failed, l.Lost, l.Unsent)
	if len(c.Failures) > 0 {
		text += "; most failed with: " + c.Failures[0].Cause
	}
	return problem("missing", severity, "%s", text)
}

// strays: replies that belong to no op.
func strays(c *results.Cell) []results.Problem {
	s := c.Strays
	if s == (results.Strays{}) {
		return nil
	}
	return problem("strays", results.Suspect, "replies that belong to no op: %d duplicate, %d foreign, %d corrupt",
		s.Duplicate, s.Foreign, s.Corrupt)
}

// clamped: a value outside the histogram's range was counted at its end.
func clamped(c *results.Cell) []results.Problem {
	n := c.Response.Clamped + c.Service.Clamped + c.Lag.Clamped
	if n == 0 {
		return nil
	}
	return problem("clamped", results.Invalid, "%d values were above the histogram's hour and are counted as an hour", n)
}

// rate: ops were done more slowly than they were due, so response times grow
// with the length of the run.
func rate(c *results.Cell) []results.Problem {
	if c.OfferedPerS == 0 || c.ReachedPerS >= c.OfferedPerS*(1-rateTolerance) {
		return nil
	}
	return problem("rate", results.Suspect,
		"%.0f/s were due and %.0f/s done: the target was behind at the end, and response times depend on how long the run was",
		c.OfferedPerS, c.ReachedPerS)
}

// noticed: what connections noticed beside their requests.
func noticed(c *results.Cell) []results.Problem {
	if len(c.Events) == 0 {
		return nil
	}
	return problem("events", results.Suspect, "%d events on the connections, the first: %s", len(c.Events), c.Events[0].Text)
}

// machine: client and broker compete for the same cores.
func machine(shared bool) []results.Problem {
	if !shared {
		return nil
	}
	return problem("shared-machine", results.Valid, "client and broker share this machine: they compete for its cores")
}

package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// stage says when a rule can be judged.
type stage int

const (
	running stage = iota // from the first interval on, and at the end
	atEnd                // only when all replies are in, or given up
)

// A rule finds one kind of problem.
type rule struct {
	code  results.Code
	stage stage
	// judge describes the problem to the user, with its severity and the percentiles that it
	// limits. It returns the zero problem for a cell without the problem.
	judge func(*results.Cell) results.Problem
}

// when returns a problem of the whole cell if its condition is given.
func when(given bool, severity results.Verdict, format string, args ...any) results.Problem {
	if !given {
		return results.Problem{}
	}
	return results.Problem{Severity: severity, Text: fmt.Sprintf(format, args...)}
}

// limiting returns a problem of some percentiles, if there are any.
func limiting(limits []results.Limit, format string, args ...any) results.Problem {
	if len(limits) == 0 {
		return results.Problem{}
	}
	return results.Problem{Severity: results.Valid, Limits: limits, Text: fmt.Sprintf(format, args...)}
}

// spoils returns a problem that makes all percentiles of a cell unusable.
func spoils(c *results.Cell, severity results.Verdict, format string, args ...any) results.Problem {
	p := limiting(all(c), format, args...)
	if p.Text == "" { // it has none
		return when(true, severity, format, args...)
	}
	p.Severity = severity
	return p
}

// where returns the percentiles of every series of the cell that are known and for which
// limited says so.
func where(c *results.Cell, limited func(percentile float64, v time.Duration) bool) (list []results.Limit) {
	for _, series := range c.SeriesNames() {
		l := results.Limit{Series: series}
		for _, row := range c.Series(series).Percentiles {
			if v, known := row.Value(); known && limited(row.Percentile, v) {
				l.Percentiles = append(l.Percentiles, row.Percentile)
			}
		}
		if l.Percentiles != nil {
			list = append(list, l)
		}
	}
	return list
}

// all returns all percentiles of every series that are known.
func all(c *results.Cell) []results.Limit {
	return where(c, func(float64, time.Duration) bool { return true })
}

// ofResponse returns the percentiles of the response for which limited says so.
func ofResponse(c *results.Cell, limited func(percentile float64, v time.Duration) bool) []results.Limit {
	return slices.DeleteFunc(where(c, limited), func(l results.Limit) bool { return l.Series != "response" })
}

// within returns the percentiles above which there is at most a share of the time, 0 to 1.
func within(c *results.Cell, share float64) []results.Limit {
	return where(c, func(percentile float64, _ time.Duration) bool { return 100-percentile <= 100*share })
}

// rules returns the table of all rules, in the order in which problems of equal
// severity are listed. To add one, add its code to package results, its limit to
// limits.go, and its line to docs/methodology.md.
func (e Environment) rules() []rule {
	return []rule{
		{results.CodeInterrupted, atEnd, interrupted},
		{results.CodeEmpty, atEnd, empty},
		{results.CodeLedger, atEnd, unaccounted},
		{results.CodeEcho, atEnd, echoed},
		{results.CodeMissing, atEnd, missing},
		{results.CodeLostAcked, atEnd, lostAcked},
		{results.CodeAudit, atEnd, unaudited},
		{results.CodeFault, atEnd, notMade},
		{results.CodeNode, atEnd, ended},
		{results.CodeFaults, atEnd, faulted},
		{results.CodeStrays, atEnd, strays},
		{results.CodeEvents, atEnd, noticed},
		{results.CodeClamped, running, clamped},
		{results.CodeRate, running, rate},
		{results.CodeSteady, atEnd, drifting},
		{results.CodeWarmup, atEnd, cold},
		{results.CodeLag, running, late},
		{results.CodeHeld, running, heldUp},
		{results.CodeFloor, running, nearFloor},
		{results.CodeHiccups, atEnd, hiccups},
		{results.CodeProcessCPU, running, e.processCPU},
		{results.CodeMachineCPU, running, machineCPU},
		{results.CodeSteal, running, steal},
		{results.CodeThrottled, running, throttled},
		{results.CodeClock, running, e.slowClock},
		{results.CodeSharedMachine, running, e.sharedMachine},
		{results.CodeWindow, atEnd, shortWindow},
		{results.CodeSamples, atEnd, fewSamples},
		{results.CodeRare, atEnd, fewEvents},
	}
}

// problems judges a cell that has ended by every rule, problemsSoFar one that runs.
func problems(c *results.Cell, e Environment) []results.Problem { return e.judge(c, atEnd) }

func problemsSoFar(c *results.Cell, e Environment) []results.Problem { return e.judge(c, running) }

func (e Environment) judge(c *results.Cell, now stage) (list []results.Problem) {
	for _, r := range e.rules() {
		if r.stage > now || e.lacks(r.code, c) != "" {
			continue
		}
		if p := r.judge(c); p.Text != "" {
			p.Code = r.code
			list = append(list, excused(c, p))
		}
	}
	return list
}

// value returns a percentile; known is false if messages that are missing rank
// there, or none was measured.
func value(d results.Distribution, percentile float64) (v time.Duration, known bool) {
	row, _ := d.At(percentile)
	return row.Value()
}

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
	return results.Problem{Severity: severity, Limits: all(c), Text: fmt.Sprintf(format, args...)}
}

// where returns the percentiles of every series of the cell that are known and for which
// limited says so.
func where(c *results.Cell, limited func(series string, row results.Percentile) bool) (list []results.Limit) {
	for _, series := range c.SeriesNames() {
		l := results.Limit{Series: series}
		for _, row := range c.Series(series).Percentiles {
			if row.ValueNS != nil && limited(series, row) {
				l.Percentiles = append(l.Percentiles, row.Percentile)
			}
		}
		if l.Percentiles != nil {
			list = append(list, l)
		}
	}
	return list
}

func all(c *results.Cell) []results.Limit { return within(c, 1) }

// within returns the percentiles above which there is at most a share of the time, 0 to 1.
func within(c *results.Cell, share float64) []results.Limit {
	return where(c, func(_ string, row results.Percentile) bool { return 100-row.Percentile <= 100*share })
}

// ofResponse returns the percentiles of the response for which limited says so, and the first
// of them, which is empty if there is none.
func ofResponse(c *results.Cell, limited func(row results.Percentile) bool) (list []results.Limit, first results.Percentile) {
	list = where(c, func(series string, row results.Percentile) bool { return series == "response" && limited(row) })
	if len(list) > 0 {
		first, _ = c.Response.At(list[0].Percentiles[0])
	}
	return list, first
}

// rules returns the table of the rules for a cell, in the order in which problems of equal
// severity are listed: all but those about machines if agents measured it. To add one, add its row
// here, its function to the rules_*.go of its subject, its limit to limits.go, its code to package
// results, and its line to docs/methodology.md.
func (e Environment) rules(c *results.Cell) []rule {
	list := []rule{
		{results.CodeInterrupted, atEnd, interrupted},
		{results.CodeEmpty, atEnd, empty},
		{results.CodeLedger, atEnd, unaccounted},
		{results.CodeEcho, atEnd, echoed},
		{results.CodeMissing, atEnd, missing},
		{results.CodeLostAcked, atEnd, lostAcked},
		{results.CodeBacklog, atEnd, backlogged},
		{results.CodeAudit, atEnd, unaudited},
		{results.CodeDurability, atEnd, withdrawn},
		{results.CodeFault, atEnd, notMade},
		{results.CodeNode, atEnd, ended},
		{results.CodeFaults, atEnd, faulted},
		{results.CodeDrain, atEnd, drained},
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
		{results.CodeAgents, atEnd, troubled},
	}
	return slices.DeleteFunc(list, func(r rule) bool { return c.Agents != nil && slices.Contains(ofMachine, r.code) })
}

func problems(c *results.Cell, e Environment, now stage) (list []results.Problem) {
	for _, r := range e.rules(c) {
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

// notJudged lists the rules that could not judge a cell because their input is unknown.
func (e Environment) notJudged(c *results.Cell) (list []results.NotJudged) {
	for _, r := range e.rules(c) {
		if reason := e.lacks(r.code, c); reason != "" {
			list = append(list, results.NotJudged{Code: r.code, Reason: reason})
		}
	}
	return list
}

// lacks returns why a rule cannot be judged, and "" if it can.
func (e Environment) lacks(code results.Code, c *results.Cell) string {
	_, m, known := usage(c)
	counted := known && m.BusyCores > 0 // this process alone uses CPU time
	switch code {                       //nolint:exhaustive // the other rules lack nothing
	case results.CodeProcessCPU:
		return e.because(c.Usage != nil, c, "")
	case results.CodeMachineCPU, results.CodeSteal:
		return e.because(counted, c, "the kernel counts no CPU time in /proc/stat")
	case results.CodeThrottled:
		return e.because(known && m.ThrottledNS != nil, c, "the cgroup of this process is not visible")
	case results.CodeFloor:
		return noFloor(c)
	case results.CodeAudit:
		return unread(c)
	case results.CodeSteady, results.CodeWarmup:
		switch {
		case c.Steady != nil:
		case c.Plan.Shape.Arrivals.InBursts():
			return "needs even or Poisson arrivals"
		case !c.Plan.Shape.Changes.Constant():
			return "needs a rate that does not change within a section"
		default:
			return fmt.Sprintf("needs replies in %d seconds of the window", leastBlocks)
		}
	case results.CodeHiccups: // elsewhere a wake-up is late by a millisecond or more, see machine.ObserveHiccups
		if reason := e.because(c.Tail != nil && e.OS == "linux", c, ""); reason != "" || c.Hiccup == nil || bySeconds(c.Tail) {
			return reason
		}
		return fewHiccups(c)
	}
	return ""
}

// because returns why something is unknown: the process was not sampled, the system cannot show
// it, or a reason that holds on Linux.
func (e Environment) because(known bool, c *results.Cell, reason string) string {
	switch {
	case known:
		return ""
	case c.Usage == nil || c.Tail == nil:
		return "this process was not sampled"
	case e.OS != "linux":
		return "needs Linux"
	}
	return reason
}

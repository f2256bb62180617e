package measure

import (
	"fmt"
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
	// judge returns how grave the problem is and describes it to the user. It
	// returns "", "" for a cell that does not have the problem.
	judge func(*results.Cell) (results.Verdict, string)
}

// when returns what a rule says if its case is given, and else "", "".
func when(given bool, severity results.Verdict, format string, args ...any) (results.Verdict, string) {
	if !given {
		return "", ""
	}
	return severity, fmt.Sprintf(format, args...)
}

// rules returns the table of all rules, in the order in which problems of equal
// severity are listed. To add one, add its code to package results, its limit to
// limits.go, and its line to docs/methodology.md.
func (s surroundings) rules() []rule {
	return []rule{
		{results.CodeInterrupted, atEnd, interrupted},
		{results.CodeEmpty, atEnd, empty},
		{results.CodeMissing, atEnd, missing},
		{results.CodeStrays, atEnd, strays},
		{results.CodeEvents, atEnd, noticed},
		{results.CodeClamped, running, clamped},
		{results.CodeRate, running, rate},
		{results.CodeLag, running, late},
		{results.CodeHeld, running, heldUp},
		{results.CodeFloor, running, nearFloor},
		{results.CodeHiccups, running, hiccups},
		{results.CodeProcessCPU, running, s.processCPU},
		{results.CodeMachineCPU, running, machineCPU},
		{results.CodeSteal, running, steal},
		{results.CodeThrottled, running, throttled},
		{results.CodeClock, running, s.slowClock},
		{results.CodeSharedMachine, running, s.sharedMachine},
		{results.CodeWindow, atEnd, shortWindow},
		{results.CodeSamples, atEnd, fewSamples},
	}
}

// problems judges a cell that has ended by every rule, problemsSoFar one that runs.
func problems(c *results.Cell, s surroundings) []results.Problem { return s.judge(c, atEnd) }

func problemsSoFar(c *results.Cell, s surroundings) []results.Problem { return s.judge(c, running) }

func (s surroundings) judge(c *results.Cell, now stage) (list []results.Problem) {
	for _, r := range s.rules() {
		if r.stage > now || s.lacks(r.code, c) != "" {
			continue
		}
		if severity, text := r.judge(c); severity != "" {
			list = append(list, results.Problem{Code: r.code, Severity: severity, Text: text})
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

package measure

import "github.com/brokerbench/brokerbench/results"

// A Culprit is who causes a problem, or makes a cell miss an objective.
type Culprit string

// The culprits.
const (
	Nobody  Culprit = "nobody"  // nobody that is known, or the plan itself
	Target  Culprit = "target"  // the broker
	Client  Culprit = "client"  // this process: the tool and its client library
	Machine Culprit = "machine" // what else runs on this machine, or shares it
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
	whose Culprit
	// judge returns how grave the problem is and describes it to the user. It
	// returns "", "" for a cell that does not have the problem.
	judge func(*results.Cell) (results.Verdict, string)
}

// surroundings are what a verdict depends on besides the cell itself.
type surroundings struct {
	shared bool   // the target is on this machine
	clock  string // the kernel's clock source; "" if the system does not tell
}

// rules returns the table of all rules, in the order in which problems of equal
// severity are listed. To add one, add its code to package results, its limit to
// limits.go, and its line to docs/methodology.md.
func (s surroundings) rules() []rule {
	return []rule{
		{results.CodeInterrupted, atEnd, Nobody, interrupted},
		{results.CodeEmpty, atEnd, Nobody, empty},
		{results.CodeMissing, atEnd, Target, missing},
		{results.CodeStrays, atEnd, Target, strays},
		{results.CodeEvents, atEnd, Target, noticed},
		{results.CodeClamped, running, Nobody, clamped},
		{results.CodeRate, running, Target, rate},
		{results.CodeLag, running, Client, late},
		{results.CodeFloor, running, Client, nearFloor},
		{results.CodeHiccups, running, Machine, hiccups},
		{results.CodeProcessCPU, running, Client, processCPU},
		{results.CodeMachineCPU, running, Machine, machineCPU},
		{results.CodeSteal, running, Machine, steal},
		{results.CodeThrottled, running, Machine, throttled},
		{results.CodeClock, running, Machine, s.slowClock},
		{results.CodeSharedMachine, running, Machine, s.sharedMachine},
		{results.CodeWindow, atEnd, Nobody, shortWindow},
		{results.CodeSamples, atEnd, Nobody, fewSamples},
	}
}

// problems judges a cell that has ended by every rule.
func problems(c *results.Cell, s surroundings) []results.Problem { return s.judge(c, atEnd) }

// problemsSoFar judges a cell that still runs.
func problemsSoFar(c *results.Cell, s surroundings) []results.Problem { return s.judge(c, running) }

func (s surroundings) judge(c *results.Cell, now stage) (list []results.Problem) {
	for _, r := range s.rules() {
		if r.stage > now {
			continue
		}
		if severity, text := r.judge(c); severity != "" {
			list = append(list, results.Problem{Code: r.code, Severity: severity, Text: text})
		}
	}
	return list
}

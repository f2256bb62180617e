package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// ofMachine are the problems that each agent has for itself: they are about its machine
// and its process.
var ofMachine = []results.Code{
	results.CodeFloor, results.CodeHiccups, results.CodeProcessCPU, results.CodeMachineCPU, results.CodeSteal,
	results.CodeThrottled, results.CodeClock, results.CodeSharedMachine,
}

// ofNumbers are those that an agent has because it has only a part of the messages, and
// those that chance shows in one window of two hundred: of fifty agents that would be one
// cell of five. The sum shows them better.
var ofNumbers = []results.Code{results.CodeWindow, results.CodeSamples, results.CodeRare, results.CodeEmpty, results.CodeSteady, results.CodeWarmup}

// JudgeParts writes the verdict into the result of a cell, which is complete otherwise. Parts has
// the result of each of its agents, nil for one that was lost; it is empty for a cell that one
// process measured. The sum is judged by the rules about messages. It takes over the agents'
// problems with their machines, and other problems that the sum does not show, such as one slow
// agent among many.
func (a *Analysis) JudgeParts(c *results.Cell, parts []*results.Cell) {
	c.EndedNodes = endedAlone(c.EndedNodes, c.Faults)
	list := problems(c, a.env, atEnd)
	c.Judge(append(list, inherited(c, list)...))
	c.NotJudged = a.env.notJudged(c)
	for i, part := range parts {
		if part == nil {
			continue
		}
		for _, u := range part.NotJudged {
			known := func(v results.NotJudged) bool { return v.Code == u.Code }
			if slices.Contains(ofMachine, u.Code) && !slices.ContainsFunc(c.NotJudged, known) {
				u.Reason = "agent " + c.Agents[i].Name + ": " + u.Reason
				c.NotJudged = append(c.NotJudged, u)
			}
		}
	}
	SLOs(c)
}

// An agentProblem is a problem of one agent.
type agentProblem struct {
	agent string
	results.Problem
}

// inherited returns the agents' problems that become the cell's, each kind once.
func inherited(c *results.Cell, own []results.Problem) (list []results.Problem) {
	var all []agentProblem
	for _, a := range c.Agents {
		for _, p := range a.Problems {
			if !slices.Contains(ofNumbers, p.Code) && !slices.ContainsFunc(own, func(q results.Problem) bool { return q.Code == p.Code }) {
				all = append(all, agentProblem{a.Name, p})
			}
		}
	}
	for _, same := range group.By(all, func(p agentProblem) results.Code { return p.Code }) {
		list = append(list, ofAgents(c, same))
	}
	return list
}

// ofAgents makes one problem of the same of several agents: with the gravest severity, and
// the text of the first.
func ofAgents(c *results.Cell, same []agentProblem) results.Problem {
	p := same[0].Problem
	var names []string
	for _, q := range same {
		names = append(names, q.agent)
		if q.Severity.Worse(p.Severity) {
			p.Severity = q.Severity
		}
	}
	if p.Severity == results.Invalid && len(names) < len(c.Agents) {
		p.Severity = results.Suspect // the numbers of the others are there
	}
	p.Limits = where(c, func(series string, row results.Percentile) bool {
		return slices.ContainsFunc(same, func(q agentProblem) bool { return q.Limit(series, row.Percentile) })
	})
	p.Text = agentsNamed(names, len(c.Agents)) + ": " + p.Text
	return p
}

// agentsNamed names those of so many agents that have something in common.
func agentsNamed(names []string, of int) string {
	switch {
	case len(names) == of && of > 1:
		return fmt.Sprintf("all %d agents", of)
	case len(names) == 1:
		return "agent " + names[0]
	}
	return "agents " + strings.Join(names, ", ")
}

// lateStart is how late an agent may begin: later, and the cell had a beginning without it.
const lateStart = 100 * time.Millisecond

// mostRate is by how much the clocks of two machines may differ in rate: crystals by 100 parts
// in a million each, and the kernel slews by 500 at most.
const mostRate = 500e-6

// strayed returns by how much an agent's clock went another way than the coordinator's, if neither
// how well it is known nor the rates of clocks explain it: it stood still, or leapt.
func strayed(k results.AgentClock) (drift time.Duration, ok bool) {
	if k.DriftNS == nil {
		return 0, false
	}
	drift = time.Duration(*k.DriftNS)
	return drift, drift.Abs() > time.Duration(k.DriftBoundNS)+time.Duration(mostRate*float64(k.DriftOverNS))
}

// troubled says which agents were lost, began late, or have a clock that went another way.
func troubled(c *results.Cell) results.Problem {
	var texts []string
	for _, a := range c.Agents {
		switch late := time.Duration(a.Clock.LateNS); {
		case a.Lost != "":
			texts = append(texts, fmt.Sprintf("agent %s was lost (%s): the %d messages that it had to send in the window count as lost", a.Name, a.Lost, a.Ledger.Due))
		case late > lateStart:
			texts = append(texts, fmt.Sprintf("agent %s began %s ms after the others", a.Name, words.Millis(late)))
		case a.Clock.LimitNS > 0 && a.Clock.Apart() > time.Duration(a.Clock.LimitNS):
			texts = append(texts, fmt.Sprintf("agent %s began within ±%s ms of the common start, and --max-skew is %v", a.Name, words.Millis(a.Clock.Apart()), time.Duration(a.Clock.LimitNS)))
		}
		switch drift, strayed := strayed(a.Clock); {
		case strayed && drift < 0:
			texts = append(texts, fmt.Sprintf("the clock of agent %s lost %s ms on the coordinator's: one that stood still makes response times too short", a.Name, words.Millis(-drift)))
		case strayed:
			texts = append(texts, fmt.Sprintf("the clock of agent %s gained %s ms on the coordinator's: one of the two leapt or stood still", a.Name, words.Millis(drift)))
		}
	}
	return when(texts != nil, results.Suspect, "%s", strings.Join(texts, "; "))
}

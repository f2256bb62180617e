package search

import (
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/results"
)

// An Answer says whether a probe kept an objective, and whose limit it is if not.
type Answer string

// The answers. All but Kept mean that the objective was not kept at this rate.
const (
	Kept    Answer = "kept"
	Missed  Answer = "missed"  // the limit is the target's
	Client  Answer = "client"  // the limit is this client's: with a better one the target might keep it
	Unclear Answer = "unclear" // whose limit it is, is not known
)

// A Judgement is an answer and its reason.
type Judgement struct {
	Answer   Answer `json:"answer"`
	Sure     bool   `json:"sure"`             // repeating the probe would not change the answer
	Measured string `json:"measured"`         // the value that the objective limits
	Reason   string `json:"reason,omitempty"` // whose limit it is and why, where the value does not say it all
}

// Judge says, for each objective of a cell, whether it was kept, and whose limit
// it is if it was not: see [measure.Kept] and [measure.Blame].
func Judge(c *results.Cell) []Judgement {
	list := make([]Judgement, len(c.SLOs))
	for i, s := range c.SLOs {
		list[i] = judge(c, s)
		list[i].Measured = measured(c, s)
	}
	return list
}

func judge(c *results.Cell, s results.SLO) Judgement {
	if measure.Kept(c, s) {
		return Judgement{Answer: Kept}
	}
	fault := measure.Blame(c, s)
	j := Judgement{Answer: Unclear, Sure: fault.Sure, Reason: fault.Reason}
	switch fault.Culprit {
	case measure.Target:
		j.Answer = Missed
	case measure.Client:
		j.Answer = Client
	case measure.Machine, measure.Nobody:
	}
	return j
}

// measured writes the value that the objective limits.
func measured(c *results.Cell, s results.SLO) string {
	if s.Objective.Metric != "" {
		text, _, _ := strings.Cut(s.Text, ";")
		return text
	}
	row, _ := c.Series(s.Objective.Series).At(s.Objective.Percentile)
	value, known := row.Value()
	if !known {
		return "?"
	}
	return words.Duration(value)
}

// probesAtMost is how often a point is measured at most.
const probesAtMost = 3

// decide makes one answer of those of the probes at a point, given in the order of
// measuring. The first probe decides if it kept the objective. Any probe decides
// if it is sure. Else two equal answers decide, and three different ones are
// unclear. ok is false if another probe is needed.
func decide(answers []Judgement) (a Answer, ok bool) {
	count := make(map[Answer]int)
	for i, j := range answers {
		count[j.Answer]++
		if j.Sure || count[j.Answer] == 2 || i == 0 && j.Answer == Kept {
			return j.Answer, true
		}
	}
	if len(answers) >= probesAtMost {
		return Unclear, true
	}
	return "", false
}

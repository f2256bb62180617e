package search

import (
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/results"
)

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

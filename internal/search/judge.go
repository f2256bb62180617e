package search

import (
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
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

// A Judgement is what one probe says about an objective, alone.
type Judgement struct {
	Answer   Answer `json:"answer"`
	Sure     bool   `json:"sure"`              // repeating the probe would not change the answer
	Measured string `json:"measured"`          // the value that the objective limits
	Reason   string `json:"reason,omitempty"`  // whose limit it is and why, where the value does not say it all
	Machine  bool   `json:"machine,omitempty"` // it is Unclear because this machine, or its host, was in the way
	Over     int64  `json:"over_limit"`        // messages over the limit; 0 for an objective of the rate
	Of       int64  `json:"messages"`          // all messages; 0 for an objective of the rate

	// Seconds is the window second by second, with a further one for the messages that
	// are missing. An objective of the loss or of max is judged by it as well; one of
	// the rate is not.
	Seconds []judge.Second `json:"-"`
	// Values holds the times of all messages; nil: the value of the last probe is shown.
	Values *histogram.Histogram `json:"-"`
}

// complete counts the messages, and gives an answer if there is none: then what is
// over the limit is the target's.
func (j *Judgement) complete(o plan.Objective) {
	for _, s := range j.Seconds {
		j.Over, j.Of = j.Over+s.Over, j.Of+s.Of
	}
	if j.Answer == "" {
		j.Answer = Kept
		if float64(j.Over) > allowed(o)*float64(j.Of) {
			j.Answer = Missed
		}
	}
}

// Judge judges each objective of a cell by this cell alone: whether it was kept, and whose limit
// it is if it was not. See [judge.Kept] and
// [judge.Blame].
func Judge(c *results.Cell, w *judge.SLOCounts) []Judgement {
	list := make([]Judgement, len(w.Seconds)) // a cell may have one more, of its audit
	for i, s := range c.SLOs[:len(w.Seconds)] {
		seconds := slices.Clone(w.Seconds[i])
		if missing := c.MissingOf(s.Objective.Series); missing > 0 && s.Objective.Metric == "" && s.Objective.Series != "lag" && s.Objective.Series != "held" {
			seconds = append(seconds, judge.Second{Over: missing, Of: missing, Worst: c.Plan.Settings.Timeout})
		}
		if s.Objective.Metric == "loss" {
			seconds = []judge.Second{{Over: c.Ledger.Missing(), Of: c.Ledger.Due}}
		}
		list[i] = answer(c, s, seconds)
		list[i].Seconds, list[i].Values, list[i].Measured = seconds, w.Values[i], measured(c, s)
	}
	return list
}

// answer judges by the measured value, not by its interval, which all probes of a rate share.
func answer(c *results.Cell, s results.SLO, seconds []judge.Second) Judgement {
	if c.Verdict != results.Invalid && s.Objective.Metric != "rate" {
		counted := Judgement{Seconds: seconds}
		counted.complete(s.Objective)
		s.Outcome = results.Missed
		if counted.Answer == Kept {
			s.Outcome = results.Passed
		}
	}
	if judge.Kept(c, s) {
		return Judgement{Answer: Kept}
	}
	cause := judge.Blame(c, s)
	j := Judgement{Answer: Unclear, Sure: cause.Sure, Reason: cause.Reason}
	switch cause.Culprit {
	case judge.Target:
		j.Answer = Missed
	case judge.Client:
		j.Answer = Client
	case judge.Machine:
		j.Machine = true
	case judge.Nobody:
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

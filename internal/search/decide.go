package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// leastProbes is how many probes decide about a rate: a target may be faster in one than in
// the next. An overload beyond doubt takes two.
const leastProbes = 5

// decide returns the answer of all windows of a rate together; ok is false if they do
// not decide it yet. Kept and not kept need the same evidence: the whole interval on
// one side of what the objective allows. A target that is overloaded in some
// windows, and keeps the objective in others, does neither.
func (e evidence) decide() (a Answer, ok bool) {
	kept, against := e.votes()
	sure, missed := 0, 0
	for _, j := range e.answers {
		if j.Answer != Kept {
			missed++
			if j.Sure {
				sure++
			}
		}
	}
	switch {
	case against >= kept+2 || sure >= 2 && missed == len(e.answers):
		return e.blame(), true
	case !e.counted():
		return Kept, kept >= against+leastProbes
	case !e.enough:
		return "", false
	}
	limit := allowed(e.objective)
	share, leansKept := e.bounds(1), e.leansKept()
	switch {
	case e.uneven():
		return "", false
	case share.low > limit && !leansKept:
		return e.blame(), true
	case against > 0 && kept < against+2:
		return "", false
	case limit <= 0: // nothing proves that something never happens
		return Kept, e.all.over == 0 && e.length >= longest
	}
	return Kept, share.high < limit && leansKept
}

// blame returns the answer that most of the windows give that did not keep the
// objective; Unclear if none is in front, or if the target's limit is not that of most.
func (e evidence) blame() Answer {
	count := make(map[Answer]int)
	for _, a := range e.answers {
		count[a.Answer]++
	}
	switch {
	case count[Missed] > count[Client]+count[Unclear]:
		return Missed
	case count[Client] > max(count[Missed], count[Unclear]):
		return Client
	}
	return Unclear
}

// reason returns why a window gave the answer. If none did because they disagree, it
// lists their answers.
func (e evidence) reason(answer Answer) (text string) {
	var said []string
	for _, a := range e.answers {
		said = append(said, string(a.Answer))
		if a.Answer == answer && a.Reason != "" {
			text = a.Reason
		}
	}
	if len(said) == 0 || slices.Contains(said, string(answer)) {
		return text
	}
	return "probes disagree: " + strings.Join(said, ", ")
}

// measured writes the value that the objective limits, of all windows together.
func (e evidence) measured() string {
	if len(e.answers) == 0 {
		return ""
	}
	last := e.answers[len(e.answers)-1].Measured
	switch {
	case e.objective.Metric == "loss" && e.all.of > 0:
		return fmt.Sprintf("%.4g %%", 100*e.all.share().mean)
	case !e.whole || e.objective.Metric != "":
		return last
	}
	value, _, known := e.values.Histogram().QuantileOf(e.objective.Percentile, int64(e.all.of))
	if !known {
		return "?"
	}
	return words.Duration(value)
}

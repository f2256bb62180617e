package search

import (
	"maps"
	"slices"
)

// A point is what is measured: a rate, for the length of a probe or of a
// confirmation.
type point struct {
	rate int
	long bool
}

// before orders points as they are measured.
func (p point) before(q point) bool {
	if p.long != q.long {
		return q.long
	}
	return p.rate < q.rate
}

// A book holds the probes of every point, in the order of measuring.
type book map[point][]Probe

// decide returns what a point's probes say about an objective; ok is false if
// they do not say it yet.
func (b book) decide(at point, objective int) (a Answer, ok bool) {
	var answers []Judgement
	for _, p := range b[at] {
		answers = append(answers, p.Answers[objective])
	}
	return decide(answers)
}

// short returns the rates of all probes that confirm nothing, in order.
func (b book) short() (rates []int) {
	for _, at := range slices.SortedFunc(maps.Keys(b), func(p, q point) int { return p.rate - q.rate }) {
		if !at.long {
			rates = append(rates, at.rate)
		}
	}
	return rates
}

// confirmed returns the highest rate below another that a longer run kept, also
// one for another objective; 0 if there is none.
func (b book) confirmed(objective, below int) (rate int) {
	for at := range b {
		if answer, known := b.decide(at, objective); at.long && at.rate < below && known && answer == Kept {
			rate = max(rate, at.rate)
		}
	}
	return rate
}

// judgement returns the last judgement at a point, or else at the same rate with
// the other window, that gives the answer. If none does, probes disagree, which is
// the reason; the zero value if there are none.
func (b book) judgement(at point, objective int, answer Answer) Judgement {
	for _, at := range []point{at, {at.rate, !at.long}} {
		said, measured := "", ""
		for _, p := range b[at] {
			j := p.Answers[objective]
			said, measured = said+", "+string(j.Answer), j.Measured
		}
		for _, p := range slices.Backward(b[at]) {
			if j := p.Answers[objective]; j.Answer == answer {
				return j
			}
		}
		if decided, _ := b.decide(at, objective); answer == Unclear && decided == Unclear {
			return Judgement{Answer: Unclear, Measured: measured, Reason: "probes disagree: " + said[2:]}
		}
	}
	return Judgement{}
}

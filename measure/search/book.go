package search

import "slices"

// A point is what a probe measures: a rate, for a short window or for the long
// one that confirms a rate.
type point struct {
	rate int
	long bool
}

// before orders points in the order of measuring.
func (p point) before(q point) bool {
	if p.long != q.long {
		return q.long
	}
	return p.rate < q.rate
}

// A book holds the probes of each point, in the order of measuring.
type book map[point][]Probe

// decide returns the answer of a point's probes for an objective; ok is false if
// they do not decide it yet.
func (b book) decide(at point, objective int) (a Answer, ok bool) {
	var answers []Judgement
	for _, p := range b[at] {
		answers = append(answers, p.Answers[objective])
	}
	return decide(answers)
}

// confirmed returns the highest rate under below at which a longer run kept the
// objective, even if that run was made for another objective; 0 if there is none.
func (b book) confirmed(objective, below int) (rate int) {
	for at := range b {
		if answer, known := b.decide(at, objective); at.long && at.rate < below && known && answer == Kept {
			rate = max(rate, at.rate)
		}
	}
	return rate
}

// judgement returns the last judgement at a point that gives the answer, or else
// the last at the same rate with the other window. If the answer is Unclear because
// the probes disagree, the reason lists their answers. It returns the zero value if
// there is nothing to return.
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

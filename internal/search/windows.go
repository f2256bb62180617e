package search

import "slices"

// windows are those of one rate for one objective.
type windows struct {
	all evidence
	own evidence // without those that this machine disturbed: they say nothing about the target
}

func (w *windows) add(p Probe, objective int, cfg Config) {
	for _, e := range []*evidence{&w.all, &w.own} {
		e.objective = cfg.Objectives[objective]
		if e == &w.all || !p.Answers[objective].disturbed() {
			e.add(p.Window, p.Answers[objective], cfg.Pause)
		}
	}
}

// disturbed returns how many windows this machine disturbed.
func (w windows) disturbed() int { return len(w.all.answers) - len(w.own.answers) }

// judged returns what decides about the rate: where this machine disturbed most of the windows,
// it is the limit, and all of them show that.
func (w windows) judged() evidence {
	if w.disturbed() > len(w.own.answers) {
		return w.all
	}
	return w.own
}

// disturbed tells whether the client or this machine explains that the objective was not kept.
func (j Judgement) disturbed() bool { return j.Answer == Client || j.Machine }

// disturbed tells whether this machine explains an answer of the probe.
func (p Probe) disturbed() bool { return slices.ContainsFunc(p.Answers, Judgement.disturbed) }

package search

// confirm takes the answer of a longer run at the rate that was found. If it does
// not keep the objective, the rate goes down a step.
func (t *track) confirm(answer Answer) {
	if answer != Kept {
		t.stepDown(answer)
		return
	}
	t.proved = true
	t.phase = bounding
	// A client that failed in a short run fails in a longer one, too.
	if t.above == 0 || t.why == Client {
		t.phase = done
	}
}

func (t *track) stepDown(answer Answer) {
	t.above, t.why = t.kept, answer
	t.steps--
	t.kept = t.step(t.kept, -1)
	switch {
	case t.above <= t.cfg.From:
		t.kept, t.phase = 0, done
	case t.steps < -maxSteps:
		t.kept, t.lost, t.phase = 0, true, done
	default:
		t.kept = max(t.kept, t.cfg.From)
	}
}

// bound takes the answer of a longer run a step above the rate that was found. If
// it keeps the objective, too, the rate goes up a step.
func (t *track) bound(answer Answer) {
	if answer != Kept {
		t.why, t.phase = answer, done
		return
	}
	t.kept, t.above = t.above, 0
	t.steps++
	switch {
	case t.kept >= t.cfg.Max:
		t.phase = done
	case t.steps > maxSteps:
		t.lost, t.phase = true, done
	default:
		t.above = t.step(t.kept, 1)
	}
}

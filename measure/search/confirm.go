package search

// confirm takes the answer of the longer run at the rate that was found.
func (t *track) confirm(answer Answer) {
	if answer != Kept {
		t.stepDown(answer)
		return
	}
	t.proved = true
	t.phase = bounding
	// What a client cannot do for a while it cannot do for longer.
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

// bound takes the answer of the longer run above the rate that was found. If that
// is kept, too, the rate is one step higher.
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

package compare

import "slices"

// An Outcome is the result of a condition. Pairs are named by the ID of BASE's
// cells, without the number of the repeat.
type Outcome struct {
	Condition string `json:"condition"`
	// Failed lists the pairs where the condition is met.
	Failed []string `json:"failed,omitempty"`
	// Inconclusive lists those where it cannot be judged: the percentile is not
	// comparable, there are too few runs for a maximum, or NEW lacks the cell.
	Inconclusive []string `json:"inconclusive,omitempty"`
	// NotExcluded lists those where it is not met, but would be with a ratio inside
	// the interval: more repeats may show it.
	NotExcluded []string `json:"not_excluded,omitempty"`
}

// outcome applies the condition to all pairs.
func (c Condition) outcome(of *Comparison) Outcome {
	o := Outcome{Condition: c.String()}
	for _, p := range of.Pairs {
		i := slices.IndexFunc(p.Rows, func(r Row) bool { return r.Percentile == c.Percentile })
		row, id := p.Rows[i], p.Base.ID
		few := row.Answer == NotJudged && min(len(p.Base.IDs), len(p.New.IDs)) < runsForMax
		switch met := c.met(row); {
		case row.Answer == NotComparable || met && few:
			o.Inconclusive = append(o.Inconclusive, id)
		case met:
			o.Failed = append(o.Failed, id)
		case row.Answer != NotJudged && (row.High == nil || c.exceeded(*row.High)):
			o.NotExcluded = append(o.NotExcluded, id)
		}
	}
	for _, u := range of.Unpaired {
		if u.Side == "BASE" {
			o.Inconclusive = append(o.Inconclusive, u.ID)
		}
	}
	return o
}

// met returns whether a row is shown to be a regression.
func (c Condition) met(r Row) bool {
	shown := r.Answer == Slower || r.Answer == NotJudged && r.EveryRunAbove
	return shown && c.exceeded(*r.Ratio)
}

// exceeded returns whether a ratio is beyond the threshold.
func (c Condition) exceeded(ratio float64) bool {
	limit := 1 + c.Percent/100
	return ratio > limit || c.OrEqual && ratio == limit
}

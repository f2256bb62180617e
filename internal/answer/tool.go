package answer

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/brokerbench/brokerbench/results"
)

// toolRemedy returns flags with which this tool does not limit the numbers that it limits now, as far as
// the run shows: the highest of its own rates at which it limits none; most of a rate that it carried,
// if it did not carry its own; or a sender for each connection, if connections waited for each
// other. Lag and CPU time at a rate that was not measured are unknown, as a spinning sender uses its core
// at every rate. Then it returns the command that examines this machine.
func (a *Answer) toolRemedy(alike []limited, cells []*results.Cell) (flags, command []string) {
	if rate := cmp.Or(a.carried(alike[0], cells), a.rateWithout(alike)); rate != "" {
		return []string{"-r", rate}, nil
	}
	if senders := moreSenders(alike, cells); senders > 0 {
		return []string{"--senders", strconv.Itoa(senders)}, nil
	}
	return nil, []string{"brokerbench", "doctor"}
}

// carried returns most of the rate that a target carried, if it did not carry its own; "" if it did, if
// the run has other shapes, or if a fault stopped it.
func (a *Answer) carried(l limited, cells []*results.Cell) string {
	rate, reached := float64(l.shape.Shape.Rate), l.target.Reached
	keepsUp := reached >= 0.99*rate && l.target.Ledger.Unsent == 0
	if len(a.Shapes) > 1 || reached <= 0 || keepsUp || stopped(*l.target, cells) {
		return ""
	}
	return rounded(0.8 * min(reached, rate))
}

// stopped reports whether a target did not carry its rate only after a fault, as far as is known: its rate
// over the whole window says nothing about it then.
func stopped(t Target, cells []*results.Cell) bool {
	for _, c := range cells {
		for _, f := range c.Faults {
			if !f.Done() || !slices.Contains(t.Cells, c.ID) {
				continue
			}
			if h := f.Impact; h == nil || float64(h.BaseDone) >= 0.99*float64(h.BaseDue) {
				return true
			}
		}
	}
	return false
}

// rateWithout returns the highest rate of the run below those of some numbers at which this tool limits
// no number of any target; "" if there is none.
func (a *Answer) rateWithout(alike []limited) string {
	byTool := func(n Number) bool {
		return slices.ContainsFunc(n.LimitedBy, func(code results.Code) bool { return nameOf(code) == "tool" })
	}
	if alike[0].shape.Shape.Changes != "" {
		return ""
	}
	lowest := alike[0].shape.Shape.Rate
	for _, s := range a.Shapes {
		if slices.ContainsFunc(s.Targets, func(t Target) bool { return slices.ContainsFunc(t.Response, byTool) }) {
			lowest = min(lowest, s.Shape.Rate)
		}
	}
	var best *Shape
	for i, s := range a.Shapes {
		if s.Shape.Changes == "" && s.Shape.Rate < lowest && (best == nil || s.Shape.Rate > best.Shape.Rate) {
			best = &a.Shapes[i]
		}
	}
	if best == nil {
		return ""
	}
	return best.Shape.Rate.Column()
}

// moreSenders returns a sender for each connection of cells whose connections waited for each other, if
// this process has as many cores; else 0.
func moreSenders(alike []limited, cells []*results.Cell) (senders int) {
	for _, c := range cells {
		of := func(l limited) bool { return slices.Contains(l.target.Cells, c.ID) }
		if !slices.ContainsFunc(alike, of) {
			continue
		}
		each := c.Plan.Shape.Connections
		if each <= max(c.Plan.Settings.Senders, 1) || float64(each) > c.UsableCores {
			return 0
		}
		senders = max(senders, each)
	}
	if slices.ContainsFunc(alike, func(l limited) bool { return l.code != results.CodeHeld }) {
		return 0
	}
	return senders
}

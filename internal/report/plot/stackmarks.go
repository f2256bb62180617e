package plot

import (
	"cmp"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/results"
)

// An endOf is where the bar of a probe ends.
type endOf struct {
	input.Probe

	at    float64 // in ms
	known bool
}

// stackEnds returns the ends of the bars, the longest first: a shorter one lies on it.
func stackEnds(s input.Stack, x axis, percentile float64) (list []endOf) {
	for _, p := range s.Probes {
		if p.Count == 0 && p.Missing == 0 {
			continue
		}
		at, known := p.End(percentile)
		e := endOf{p, millis(at), known}
		if !known {
			e.at = x.max
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b endOf) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.Index, a.Index)) })
	return list
}

// stackMarks draws the bars around y.
func stackMarks(s input.Stack, x axis, y, percentile float64, ink ink) (drawn []mark) {
	low, high := y-barShare/2, y+barShare/2
	for _, e := range stackEnds(s, x, percentile) {
		color := ink(e.Index)
		switch {
		case !e.known:
			drawn = append(drawn, line{[]xy{{x.min, y}, {e.at, y}}, dashed(color, 1.2, nil)})
		case e.at > x.min:
			drawn = append(drawn, area{[]xy{{x.min, low}, {e.at, low}, {e.at, high}, {x.min, high}}, color})
		}
		switch at := []xy{{e.at, y}}; {
		case !e.known:
			drawn = append(drawn, dots{at, cross, ink(0)})
		case !s.Usable(e.Probe, percentile):
			drawn = append(drawn, dots{at, hollow, ink(0)})
		}
	}
	return drawn
}

// stackNames says which part of a bar is which probe.
func stackNames(stacks []input.Stack, ink ink) (names []entry) {
	means := map[string]string{
		"lag": "lag: handed to the client", "published": "published: on the socket", "ack": "acknowledged", "response": "delivered",
	}
	for i, probe := range results.Probes() {
		has := func(s input.Stack) bool {
			return slices.ContainsFunc(s.Probes, func(p input.Probe) bool { return p.Index == i })
		}
		explain(&names, slices.ContainsFunc(stacks, has), entry{text: means[probe.Tag], band: ink(i)})
	}
	return names
}

// stackKeys says what the signs mean, and what the lengths do not.
func stackKeys(stacks []input.Stack, percentile float64, x axis) (keys []entry) {
	limited, unknown := false, false
	for _, s := range stacks {
		for _, e := range stackEnds(s, x, percentile) {
			unknown = unknown || !e.known
			limited = limited || e.known && !s.Usable(e.Probe, percentile)
		}
	}
	keys = append(keys, entry{text: "each bar ends at " + words.Percentile(percentile) + " of one probe, from due: the part between two ends is no percentile"})
	explain(&keys, x.scale != nil, entry{text: "a length is a factor, not a time: the axis is logarithmic"})
	explain(&keys, limited, entry{text: "of limited use", dot: hollow})
	explain(&keys, unknown, entry{text: "unknown: messages are missing", dot: cross})
	return append(keys, verdictKeys("cell", stacks)...)
}

package claims

import (
	"cmp"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A point is the value of a side of a ratio in one repeat.
type point struct {
	dir       string // of its run
	repeat    int    // 0: of a search
	low, high float64
	why       string // it decides nothing, as a sentence; "": it does
}

// A quantity returns a value of a trial, or the end of a sentence why it decides nothing.
type quantity func(compare.Trial) (value float64, why string)

// points returns the values of trials. Text names the value.
func points(trials []compare.Trial, text string, value quantity) (list []point) {
	for _, t := range trials {
		v, why := value(t)
		if why == "" && v <= 0 {
			why = " is 0"
		}
		if why != "" {
			why = text + " in " + t.Repeat() + why
		}
		list = append(list, point{t.Dir, t.Cell.Plan.Repeat, v, v, why})
	}
	return list
}

// percentile returns a percentile of a series in nanoseconds. A series that is not judged has the
// limits of the response.
func percentile(series string, p float64) quantity {
	return func(t compare.Trial) (float64, string) {
		row, _ := t.Cell.Series(series).At(p)
		v, known := row.Value()
		if !known {
			return 0, " is unknown"
		}
		why := unfit(row)
		if why == "" && !slices.Contains(append(t.Cell.SeriesNames(), ""), series) {
			why = limits(t.At(p))
		}
		return float64(v), why
	}
}

// floorAt returns a percentile of the floor in nanoseconds.
func floorAt(p float64) quantity {
	return func(t compare.Trial) (float64, string) {
		row, _ := t.Cell.Floor.Echo.Response.At(p)
		v, known := row.Value()
		if !known {
			return 0, " is unknown"
		}
		return float64(v), ""
	}
}

// unfit says why a known percentile decides nothing, as the end of a sentence; "" if it may.
func unfit(row results.Percentile) string {
	return cmp.Or(row.TooFew(), limits(row))
}

// limits says in the same way which limits keep a percentile from deciding. Each other limit, such as
// the faults, is part of what a claim is about.
func limits(row results.Percentile) string {
	by := slices.DeleteFunc(row.Limits(), func(by string) bool { return !slices.Contains([]string{"this machine", "this tool", "the echo"}, by) })
	if len(by) == 0 {
		return ""
	}
	return " is limited by " + words.And(by)
}

// of returns the CPU time of a message.
func (c CPU) of(cost *results.Cost) (ns float64, why string) {
	if cost == nil {
		return 0, " is unknown: its nodes were not seen"
	}
	for _, part := range []struct {
		counts bool
		ns     *float64
	}{{c != Client, cost.NodesCPUNS}, {c == Client || c == Both, cost.ClientCPUNS}} {
		switch {
		case part.counts && part.ns == nil:
			return 0, " is unknown"
		case part.counts:
			ns += *part.ns
		}
	}
	return ns, ""
}

// text names the CPU time of a message.
func (c CPU) text() string {
	switch c {
	case Client:
		return "CPU time of brokerbench for a message"
	case Both:
		return "CPU time of nodes and brokerbench for a message"
	case Nodes:
	}
	return "CPU time of nodes for a message"
}

// ratio states that the ratio of two sides is between two bounds. Points of one repeat are a pair.
func (j *Judged) ratio(text string, of, to []point, low, high float64) {
	if j.Outcome != "" {
		return // something has no value
	}
	var lows, highs stats.LogRatios
	for _, a := range of {
		i := slices.IndexFunc(to, func(b point) bool { return a.dir == b.dir && a.repeat == b.repeat })
		if i < 0 {
			continue
		}
		for _, why := range []string{a.why, to[i].why} {
			if why != "" {
				j.undecided("%s", why)
				return
			}
		}
		low, high := math.Log(a.low/to[i].high), math.Log(a.high/to[i].low)
		if math.IsInf(low, 0) && math.IsInf(high, 0) {
			j.undecided("%s: the searches found no rate, or no limit", text)
			return
		}
		lows, highs = append(lows, low), append(highs, high)
	}
	if len(lows) == 0 {
		j.undecided("%s: they were not measured in the same repeat", text)
		return
	}
	j.add(text, lows, highs, low, high)
}

// add adds a statement about the ratios whose logarithms are between lows and highs.
func (j *Judged) add(text string, lows, highs stats.LogRatios, low, high float64) {
	s := Statement{Text: text, Repeats: len(lows), LeastSaid: low, MostSaid: high, Outcome: NotDecided, lows: lows, highs: highs, low: math.Log(low), high: math.Inf(1)}
	if high > 0 {
		s.high = math.Log(high)
	}
	s.searched = j.SLO() != (plan.Objective{})
	for i := range lows {
		s.sample = append(s.sample, middle(lows[i], highs[i]))
	}
	s.Ratio = stats.Rounded(s.sample.Ratio())
	j.Statements = append(j.Statements, s)
}

// middle returns the middle of a bracket, or its only known end.
func middle(low, high float64) float64 {
	switch {
	case math.IsInf(low, -1):
		return high
	case math.IsInf(high, 1):
		return low
	}
	return (low + high) / 2
}

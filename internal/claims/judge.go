package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// An Outcome says how results relate to a claim.
type Outcome string

// The outcomes.
const (
	Reproduced   Outcome = "reproduced"
	Contradicted Outcome = "contradicted"
	NotDecided   Outcome = "not decided"
)

// A Judged is a claim with its outcome.
type Judged struct {
	Claim
	Outcome    Outcome     `json:"outcome"`
	Reason     string      `json:"reason,omitempty"`     // why no statement could be made, or what was counted
	Statements []Statement `json:"statements,omitempty"` // all that the claim says about ratios
	Decides    int         `json:"repeats_to_decide"`    // about how many repeats would decide it; 0: unknown, or it is decided
}

// A Statement says that a ratio is between two bounds.
type Statement struct {
	Text      string   `json:"text"`
	Repeats   int      `json:"repeats"`
	Ratio     float64  `json:"ratio"` // the geometric mean of the repeats
	Low       *float64 `json:"low"`   // the interval of the ratio; null: fewer than two repeats
	High      *float64 `json:"high"`
	Level     float64  `json:"level"`               // the confidence of the interval; 0: none
	LeastSaid float64  `json:"least_said"`          // the bounds that the claim states
	MostSaid  float64  `json:"most_said,omitempty"` // absent: none
	Outcome   Outcome  `json:"outcome"`

	sample    stats.LogRatios
	low, high float64 // the logarithms of the bounds
	enough    int     // repeats
}

// Judge judges claims together, each by the trials that data returns for it. Trials of other targets
// and shapes do not matter.
func Judge(list []Claim, data func(Claim) []compare.Trial) []Judged {
	judged := make([]Judged, len(list))
	var family []*Statement
	for i, c := range list {
		judged[i] = Judged{Claim: c}
		judged[i].state(data(c))
		for k := range judged[i].Statements {
			family = append(family, &judged[i].Statements[k])
		}
	}
	for _, s := range family {
		s.enough = rank.LeastRepeats(len(family))
	}
	family = slices.DeleteFunc(family, func(s *Statement) bool { return len(s.sample) < 2 })
	stats.Holm(family, stats.Confidence, (*Statement).judge)
	for i := range judged {
		judged[i].conclude()
	}
	return judged
}

// judge compares the interval at a level with the bounds.
func (s *Statement) judge(level float64) bool {
	mean, half := math.Log(s.sample.Ratio()), s.sample.HalfWidth(level)
	low, high := mean-half, mean+half
	s.Low, s.High, s.Level = new(stats.Rounded(math.Exp(low))), new(stats.Rounded(math.Exp(high))), level
	switch {
	case len(s.sample) < s.enough:
	case low >= s.low && high <= s.high:
		s.Outcome = Reproduced
	case low > s.high || high < s.low:
		s.Outcome = Contradicted
	}
	return s.Outcome != NotDecided
}

// decides returns about how many repeats would decide a statement; 0: unknown.
func (s *Statement) decides() int {
	if s.Level == 0 {
		return s.enough
	}
	mean := math.Log(s.sample.Ratio())
	distance := min(math.Abs(mean-s.low), math.Abs(mean-s.high))
	n, ok := s.sample.PairsFor(math.Expm1(distance), s.Level)
	if !ok {
		return 0
	}
	return max(n, s.enough, len(s.sample)+1)
}

// conclude sets the outcome of a claim from those of its statements.
func (j *Judged) conclude() {
	if j.Outcome != "" {
		return // counted, or without data
	}
	j.Outcome = Reproduced
	for i := range j.Statements {
		s := &j.Statements[i]
		switch s.Outcome {
		case Contradicted:
			j.Outcome, j.Decides = Contradicted, 0
			return
		case NotDecided:
			j.Outcome, j.Decides = NotDecided, max(j.Decides, s.decides())
		case Reproduced:
		}
	}
}

// undecided ends the judgement of a claim without data.
func (j *Judged) undecided(format string, args ...any) {
	j.Outcome, j.Reason = NotDecided, fmt.Sprintf(format, args...)
	j.Statements = nil
}

// state makes the statements of a claim.
func (j *Judged) state(trials []compare.Trial) {
	trials, ok := j.ofShape(trials)
	if !ok {
		return
	}
	by := make(map[string][]compare.Trial)
	for _, name := range j.Targets() {
		measured := slices.DeleteFunc(slices.Clone(trials), func(t compare.Trial) bool { return t.Target() != name })
		if j.Lost != nil && j.countLost(measured) {
			return
		}
		if by[name], ok = j.whole(name, measured); !ok {
			return
		}
	}
	switch {
	case j.Rank != nil:
		j.stateRank(by)
	case j.Ratio != nil:
		r := j.Ratio
		j.ratio(by[r.Of], by[r.To], r.Of, r.To, r.Percentile, r.Low, r.High)
	case j.Lost != nil:
		j.stateNoneLost(by[j.Lost.Target])
	case j.Outage != nil:
		j.stateOutage(by[j.Outage.Target])
	}
}

// whole returns the repeats of a target that were not interrupted.
func (j *Judged) whole(name string, trials []compare.Trial) (of []compare.Trial, ok bool) {
	for _, t := range trials {
		switch {
		case t.Cell.Interrupted:
		case t.Cell.Verdict == results.Invalid:
			j.undecided("%s of %s is INVALID", t.Repeat(), name)
			return nil, false
		default:
			of = append(of, t)
		}
	}
	switch {
	case len(trials) == 0:
		j.undecided("%s was not measured", name)
	case len(of) == 0:
		j.undecided("each repeat of %s was interrupted", name)
	}
	return of, len(of) > 0
}

// ofShape returns the trials of the claim's shape.
func (j *Judged) ofShape(trials []compare.Trial) (of []compare.Trial, ok bool) {
	var shapes []string
	for _, t := range trials {
		id := t.Shape().ID()
		if shapes = append(shapes, id); j.Shape == "" || id == j.Shape {
			of = append(of, t)
		}
	}
	shapes = group.Unique(shapes)
	switch {
	case len(trials) == 0:
		j.undecided("nothing was measured")
	case len(of) == 0:
		j.undecided("the shape %s was not measured, only %s", j.Shape, words.And(shapes))
	case j.Shape == "" && len(shapes) > 1:
		j.undecided("the claim names no shape, and there are %s", words.And(shapes))
	default:
		return of, true
	}
	return nil, false
}

// stateRank states that each group is faster than the next one, and that equals are.
func (j *Judged) stateRank(by map[string][]compare.Trial) {
	groups := j.Rank.groups()
	within := cmp.Or(j.Rank.Within, 1.1)
	for i, names := range groups {
		for k, a := range names {
			for _, b := range names[k+1:] {
				j.ratio(by[b], by[a], b, a, j.Rank.Percentile, 1/within, within)
			}
			if i == len(groups)-1 {
				continue
			}
			for _, b := range groups[i+1] {
				j.ratio(by[b], by[a], b, a, j.Rank.Percentile, 1, 0)
			}
		}
	}
}

// ratio states that the ratio of two targets is between two bounds. Without trials of the second one
// it is that to the floor.
func (j *Judged) ratio(of, to []compare.Trial, name, base string, percentile, low, high float64) {
	if j.Outcome != "" {
		return // something has no value
	}
	var sample stats.LogRatios
	for _, t := range of {
		above := t.At(percentile)
		under, ok := below(t, to, base, percentile)
		if !ok {
			continue
		}
		if text := unfit(above); text != "" {
			j.undecided("p%v of %s in %s%s", percentile, name, t.Repeat(), text)
			return
		}
		if text := unfit(under); text != "" && base != Floor {
			j.undecided("p%v of %s in %s%s", percentile, base, t.Repeat(), text)
			return
		}
		a, known := above.Value()
		b, alsoKnown := under.Value()
		if !known || !alsoKnown || a <= 0 || b <= 0 {
			j.undecided("p%v of %s or %s in %s is unknown", percentile, name, base, t.Repeat())
			return
		}
		sample = append(sample, math.Log(float64(a)/float64(b)))
	}
	if len(sample) == 0 {
		j.undecided("%s and %s were not measured in the same repeat", name, base)
		return
	}
	j.add(fmt.Sprintf("p%v of %s / %s", percentile, name, base), sample, low, high)
}

// unfit says why a known percentile decides nothing, as the end of a sentence; "" if it may. Each
// other limit, such as the faults, is part of what a claim is about.
func unfit(row results.Percentile) string {
	if _, known := row.Value(); !known {
		return ""
	}
	if text := row.TooFew(); text != "" {
		return text
	}
	limits := slices.DeleteFunc(row.Limits(), func(by string) bool { return !slices.Contains([]string{"this machine", "this tool", "the echo"}, by) })
	if len(limits) == 0 {
		return ""
	}
	return " is limited by " + words.And(limits)
}

// below returns the percentile that that of a trial is compared with; ok is false if its repeat has none.
func below(t compare.Trial, others []compare.Trial, base string, percentile float64) (row results.Percentile, ok bool) {
	if base == Floor {
		if t.Cell.Floor == nil {
			return row, false
		}
		return t.Cell.Floor.Echo.Response.At(percentile)
	}
	i := slices.IndexFunc(others, func(o compare.Trial) bool { return o.Dir == t.Dir && o.Cell.Plan.Repeat == t.Cell.Plan.Repeat })
	if i < 0 {
		return row, false
	}
	return others[i].At(percentile), true
}

func (j *Judged) add(text string, sample stats.LogRatios, low, high float64) {
	s := Statement{Text: text, Repeats: len(sample), Ratio: stats.Rounded(sample.Ratio()), LeastSaid: low, MostSaid: high, Outcome: NotDecided, sample: sample, low: math.Log(low), high: math.Inf(1)}
	if high > 0 {
		s.high = math.Log(high)
	}
	j.Statements = append(j.Statements, s)
}

// countLost counts the acknowledged messages that are lost. One of them contradicts the claim, even
// in a repeat that is INVALID or was interrupted.
func (j *Judged) countLost(trials []compare.Trial) (contradicted bool) {
	var acked, missing int64
	for _, t := range trials {
		if a := t.Cell.Audit; a != nil && a.Error == "" {
			acked, missing = acked+a.Acked, missing+a.Missing
		}
	}
	if missing > 0 {
		j.Outcome, j.Reason = Contradicted, fmt.Sprintf("%d of %d acknowledged messages are lost", missing, acked)
	}
	return missing > 0
}

// stateNoneLost states that nothing is lost, after countLost, if everything that could lose a message
// was done and each store was read.
func (j *Judged) stateNoneLost(trials []compare.Trial) {
	var acked int64
	for _, t := range trials {
		a := t.Cell.Audit
		fault := slices.IndexFunc(t.Cell.Faults, func(f results.Fault) bool { return !f.Done() })
		switch {
		case a == nil:
			j.undecided("the store of %s was not read in %s", j.Lost.Target, t.Repeat())
			return
		case a.Error != "":
			j.undecided("the store of %s in %s: %s", j.Lost.Target, t.Repeat(), a.Error)
			return
		case fault >= 0:
			j.undecided("fault %d of %s was not made in %s", fault, j.Lost.Target, t.Repeat())
			return
		}
		acked += a.Acked
	}
	if j.Outcome = Reproduced; acked == 0 {
		j.Outcome = NotDecided
	}
	j.Reason = fmt.Sprintf("0 of %d acknowledged messages are lost", acked)
}

// stateOutage states that the outages are shorter than the claim's time.
func (j *Judged) stateOutage(trials []compare.Trial) {
	var sample stats.LogRatios
	for _, t := range trials {
		if len(t.Cell.Faults) <= j.Outage.Fault || t.Cell.Faults[j.Outage.Fault].Impact == nil {
			j.undecided("%s of %s has no fault %d", t.Repeat(), j.Outage.Target, j.Outage.Fault)
			return
		}
		o := t.Cell.Faults[j.Outage.Fault].Impact.Outage()
		if o == nil || o.Unknown || o.Shown && !o.Over() {
			j.undecided("the end of the outage of %s in %s is unknown", j.Outage.Target, t.Repeat())
			return
		}
		sample = append(sample, math.Log(max(o.For(), time.Nanosecond).Seconds()/j.Outage.BelowS))
	}
	j.add(fmt.Sprintf("outage of %s / %v s", j.Outage.Target, j.Outage.BelowS), sample, 0, 1)
}

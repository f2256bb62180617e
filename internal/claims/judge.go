package claims

import (
	"fmt"
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/stats"
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

	searched    bool            // the repeats are searches
	lows, highs stats.LogRatios // the ends of each repeat's ratio; the same unless they are brackets
	sample      stats.LogRatios // the middle between them
	low, high   float64         // the logarithms of the bounds
	enough      int             // repeats
}

// Judge judges claims together, each by the runs that data returns for it. Other targets and shapes
// in the runs do not matter.
func Judge(list []Claim, data func(Claim) []*Run) []Judged {
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
	family = slices.DeleteFunc(family, func(s *Statement) bool { return s.judgeFew() || len(s.lows) < 2 })
	stats.Holm(family, stats.Confidence, (*Statement).judge)
	for i := range judged {
		judged[i].conclude()
	}
	return judged
}

// judge compares the interval at a level with the bounds.
func (s *Statement) judge(level float64) bool {
	low, high := bound(s.lows, -1, level), bound(s.highs, 1, level)
	s.interval(low, high)
	s.Level = level
	if len(s.lows) >= s.enough {
		s.decide(low, high)
	}
	return s.Outcome != NotDecided
}

// bound returns the logarithm of the lower (-1) or upper (1) bound of ratios.
func bound(sample stats.LogRatios, sign, level float64) float64 {
	if unknown := math.Inf(int(sign)); slices.Contains(sample, unknown) {
		return unknown
	}
	return math.Log(sample.Ratio()) + sign*sample.HalfWidth(level)
}

// interval sets the interval that is shown.
func (s *Statement) interval(low, high float64) {
	if !math.IsInf(low, 0) {
		s.Low = new(stats.Rounded(math.Exp(low)))
	}
	if !math.IsInf(high, 0) {
		s.High = new(stats.Rounded(math.Exp(high)))
	}
}

// decide sets the outcome by an interval.
func (s *Statement) decide(low, high float64) {
	switch {
	case low >= s.low && high <= s.high:
		s.Outcome = Reproduced
	case low > s.high || high < s.low:
		s.Outcome = Contradicted
	}
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

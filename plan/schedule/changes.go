package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Changes is a rate that changes over a window, in the one way in which each is
// written: ramp(1000..20000,1m0s), step(1000@10s,5000@20s), or trace(NAME,HASH,1m1s),
// with rates per second. "" is a rate that does not change. So it can be part of a key.
type Changes string

// Limits of a rate that changes. Percentiles are those of sections, and each section
// takes additional memory.
const (
	MaxSections = 16 // steps, and so the most sections
	mostCuts    = 10 // sections of a ramp or a trace
	leastRamp   = 2 * time.Second
	MostLong    = 24 * time.Hour // how long a rate may change
)

// A Leg is a part of a rate that changes: the rate goes evenly from one to the other.
type Leg struct {
	From, To Rate
	For      time.Duration
}

// Ramp returns a rate that goes evenly from one to the other.
func Ramp(from, to Rate, long time.Duration) (Changes, error) {
	c := Changes(fmt.Sprintf("ramp(%s..%s,%v)", decimal(float64(from)), decimal(float64(to)), long))
	switch {
	case from == to:
		return "", errors.New("a ramp has two rates that differ")
	case long < leastRamp || long > MostLong:
		return "", fmt.Errorf("a ramp lasts from %v to %v: its percentiles are those of sections of a second at least", leastRamp, MostLong)
	}
	return c, checkLegs([]Leg{{from, to, long}})
}

// Steps returns a rate that changes at once from leg to leg, each of which has one rate.
func Steps(legs []Leg) (Changes, error) {
	var texts []string
	total := time.Duration(0)
	for _, l := range legs {
		texts = append(texts, decimal(float64(l.From))+"@"+l.For.String())
		if l.For < time.Second || l.For > MostLong {
			return "", fmt.Errorf("a step lasts from 1s to %v", MostLong)
		}
		total += l.For
	}
	if len(legs) < 2 || len(legs) > MaxSections || total > MostLong {
		return "", fmt.Errorf("want 2 to %d steps, of %v together at most", MaxSections, MostLong)
	}
	return Changes("step(" + strings.Join(texts, ",") + ")"), checkLegs(legs)
}

func checkLegs(legs []Leg) error {
	for _, l := range legs {
		for _, r := range []Rate{l.From, l.To} {
			if r.Thousandths() == 0 {
				return fmt.Errorf("rate %v is not between %v and 1,000,000,000/s", r, MinRate)
			}
		}
	}
	return nil
}

// words splits c into its kind and the text between the brackets.
func (c Changes) words() (kind string, inside []string, err error) {
	kind, rest, open := strings.Cut(string(c), "(")
	rest, closed := strings.CutSuffix(rest, ")")
	if !open || !closed {
		return "", nil, fmt.Errorf("%q is none of ramp(…), step(…) and trace(…)", string(c))
	}
	return kind, strings.Split(rest, ","), nil
}

// Legs returns the legs; none of a trace, whose messages are due when its lines say.
// The error is about a text that no function of this package has made.
func (c Changes) Legs() (legs []Leg, err error) {
	kind, inside, err := c.words()
	if err != nil {
		return nil, err
	}
	number := func(text string) Rate {
		v, e := strconv.ParseFloat(text, 64)
		err = cmp.Or(err, e)
		return Rate(v)
	}
	long := func(text string) time.Duration {
		d, e := time.ParseDuration(text)
		err = cmp.Or(err, e)
		return d
	}
	switch {
	case kind == "ramp" && len(inside) == 2:
		from, to, _ := strings.Cut(inside[0], "..")
		legs = []Leg{{number(from), number(to), long(inside[1])}}
	case kind == "step":
		for _, text := range inside {
			rate, d, _ := strings.Cut(text, "@")
			legs = append(legs, Leg{number(rate), number(rate), long(d)})
		}
	case kind != "trace" || len(inside) != 3:
		err = fmt.Errorf("%q is none of ramp(…), step(…) and trace(…)", string(c))
	}
	return legs, err
}

// Validate reports a text that no function of this package has made.
func (c Changes) Validate() error {
	if c == "" {
		return nil
	}
	legs, err := c.Legs()
	again := c
	switch {
	case err != nil:
	case len(legs) == 0:
		if long := c.Long(); long <= 0 || long > MostLong {
			err = fmt.Errorf("a trace of %v", long)
		}
	case strings.HasPrefix(string(c), "ramp"):
		again, err = Ramp(legs[0].From, legs[0].To, legs[0].For)
	default:
		again, err = Steps(legs)
	}
	if err == nil && again != c {
		err = fmt.Errorf("write it as %s", again)
	}
	return err
}

// Trace returns the name and the hash of the trace that says when messages are due; ok
// is false if c is none.
func (c Changes) Trace() (name, hash string, ok bool) {
	kind, inside, err := c.words()
	if err != nil || kind != "trace" || len(inside) != 3 {
		return "", "", false
	}
	return inside[0], inside[1], true
}

// Long returns how long the rate changes, which is the window; 0 for a rate that does not.
func (c Changes) Long() (long time.Duration) {
	if _, inside, err := c.words(); err == nil {
		if _, _, ok := c.Trace(); ok {
			long, _ = time.ParseDuration(inside[2])
			return long
		}
	}
	legs, _ := c.Legs()
	for _, l := range legs {
		long += l.For
	}
	return long
}

// Constant reports whether each section has one rate.
func (c Changes) Constant() bool { return c == "" || strings.HasPrefix(string(c), "step") }

// A Section is a part of a window with separate percentiles: a step, or one of the
// equal times into which a ramp or a trace is cut.
type Section struct {
	From, To   time.Duration // from the start of the window
	Begin, End Rate          // at its two ends; 0 of a trace
}

// Mean returns the mean rate of a section; 0 of a trace.
func (s Section) Mean() Rate {
	if s.Begin == s.End {
		return s.Begin
	}
	return RateOf((s.Begin.Thousandths() + s.End.Thousandths()) / 2)
}

// Sections returns the sections of a rate that changes, in order.
func (c Changes) Sections() (list []Section) {
	legs, _ := c.Legs()
	if c.Constant() {
		from := time.Duration(0)
		for _, l := range legs {
			list = append(list, Section{from, from + l.For, l.From, l.To})
			from += l.For
		}
		return list
	}
	long := c.Long()
	n := cuts(long)
	for i := range n {
		s := Section{From: long * time.Duration(i) / time.Duration(n), To: long * time.Duration(i+1) / time.Duration(n)}
		if len(legs) > 0 {
			s.Begin, s.End = legs[0].at(s.From), legs[0].at(s.To)
		}
		list = append(list, s)
	}
	return list
}

// cuts returns into how many equal times a window is cut: ten at most, each a second at
// least, and whole seconds if five sections or more are.
func cuts(long time.Duration) int {
	most := max(min(mostCuts, int(long/time.Second)), 1)
	for n := most; n >= 5; n-- {
		if long%(time.Duration(n)*time.Second) == 0 {
			return n
		}
	}
	return most
}

// at returns the rate at an offset.
func (l Leg) at(to time.Duration) Rate {
	from, end := float64(l.From.Thousandths()), float64(l.To.Thousandths())
	return RateOf(int64(from + (end-from)*(float64(to)/float64(l.For))))
}

// Peak returns the highest rate of the sections' ends; 0 of a trace.
func (c Changes) Peak() (peak Rate) {
	legs, _ := c.Legs()
	for _, l := range legs {
		peak = max(peak, l.From, l.To)
	}
	return peak
}

package plan

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// For returns the settings of the cells with a shape: a rate that changes has its own duration.
func (s Settings) For(shape Shape) Settings {
	s.Duration = cmp.Or(shape.Changes.Long(), s.Duration)
	if shape.Backlog != (Backlog{}) { // what is due while it is drained waits behind it
		s.Timeout = max(s.Timeout, s.Duration)
	}
	return s
}

// Sections returns the parts of the window of a cell with percentiles of their own, each as a cell
// whose warm-up is everything before it, and whose rate is the mean of the section; nil if the
// rate does not change.
func (c Cell) Sections() (list []Cell) {
	if c.Shape.Changes == "" || c.Shape.Section > 0 {
		return nil
	}
	due, whole, all := c.Settings.traced(c.Shape.Changes), c.Shape.Rate, c.Settings.MeanRate(c.Shape.Changes)
	for i, s := range c.Shape.Changes.Sections() {
		one := c
		one.Shape.Section, one.Shape.Rate = i+1, s.Mean()
		if due != nil {
			from, _ := slices.BinarySearch(due, s.From)
			to, _ := slices.BinarySearch(due, s.To)
			one.Shape.Rate = meanRate(to-from, s.To-s.From)
		}
		if all != whole && all > 0 { // a part of the cell
			one.Shape.Rate = schedule.RateOf(int64(float64(one.Shape.Rate.Thousandths()) * float64(whole/all)))
		}
		one.Settings.Warmup, one.Settings.Duration = c.Settings.Warmup+s.From, s.To-s.From
		list = append(list, one)
	}
	return list
}

// Units returns the cells that results have percentiles of: each cell, its sections, or its sizes.
func Units(cells []Cell) (units []Cell) {
	for _, c := range cells {
		if sections := c.Sections(); sections != nil {
			units = append(units, sections...)
			continue
		}
		for _, c.Shape = range c.Shape.BySize() {
			units = append(units, c)
		}
	}
	return units
}

// MeanRate returns the mean of a rate that changes; 0 of a trace that the settings do not have.
func (s Settings) MeanRate(c schedule.Changes) schedule.Rate {
	long := c.Long()
	if _, _, traced := c.Trace(); traced {
		return meanRate(len(s.traced(c)), long)
	}
	legs, _ := c.Legs()
	all := 0.
	for _, l := range legs {
		all += float64(l.From.Thousandths()+l.To.Thousandths()) / 2 * float64(l.For)
	}
	return schedule.RateOf(int64(all / float64(max(long, 1))))
}

func meanRate(messages int, long time.Duration) schedule.Rate {
	return schedule.RateOf(int64(float64(messages) / max(long, 1).Seconds() * schedule.PerSecond))
}

// Peak returns the cell with its highest rate, all the time.
func (c Cell) Peak() Cell {
	for _, s := range c.Sections() {
		c.Shape.Rate = max(c.Shape.Rate, s.Shape.Rate)
	}
	c.Shape.Changes = ""
	return c
}

// DueRate returns how many messages of a section are due per second from one offset to another: of
// a trace, whose times results do not have, the mean of the section.
func (c Cell) DueRate(from, to time.Duration) float64 {
	at := c.Shape.Changes.Sections()[c.Shape.Section-1]
	before := c.Settings.Warmup - at.From // the warm-up of the whole cell
	from, to = max(from, c.Settings.Warmup), min(to, c.Settings.Warmup+c.Settings.Duration)
	legs, _ := c.Shape.Changes.Legs()
	switch {
	case from >= to:
		return 0
	case len(legs) == 0:
		return float64(c.Shape.Rate)
	}
	spec := schedule.Spec{Rate: c.Shape.Rate, Duration: before + c.Shape.Changes.Long(), Course: schedule.NewCourse(before, legs)}
	counter := spec.Counter(schedule.Part{})
	n := counter.Until(from)
	return float64(counter.Until(to)-n) / (to - from).Seconds()
}

// course returns when messages are due at a rate that changes; nil if it does not.
func (c Cell) course() *schedule.Course {
	changes := c.Shape.Changes
	if changes == "" {
		return nil
	}
	if _, _, traced := changes.Trace(); traced {
		return schedule.TraceCourse(c.Settings.Warmup, c.Shape.Rate, c.Settings.traced(changes), changes.Long())
	}
	legs, _ := changes.Legs()
	return schedule.NewCourse(c.Settings.Warmup, legs)
}

// checkChanges reports mistakes of a rate that changes.
func (s Shape) checkChanges() error {
	if s.Changes == "" {
		return wrong(s.Section != 0, "section %d of a rate that does not change", s.Section)
	}
	if err := s.Changes.Validate(); err != nil {
		return fmt.Errorf("rate: %w", err)
	}
	_, _, traced := s.Changes.Trace()
	return wrong(traced && !s.Arrivals.Even(), "a trace says when each message is due: arrivals %s cannot be combined with it", s.Arrivals)
}

// CheckChanges reports a rate that changes and cannot be combined with the settings or with the rest
// of the shape.
func CheckChanges(s Shape, settings Settings) error {
	return errors.Join(s.checkChanges(), settings.checkTrace(s.Changes), wrong(s.Changes != "" && len(settings.Faults) > 0,
		"faults and a rate that changes cannot be combined yet: their effect is found by comparison with the time before"))
}

// longName is how long the name of a rate in a file name may be.
const longName = 40

// changesName returns a rate that changes as folders name it.
func changesName(c schedule.Changes) string {
	kind, inside, _ := strings.Cut(strings.TrimSuffix(string(c), ")"), "(")
	name := kind + "-" + strings.NewReplacer("..", "-", ",", "-", "@", "x", "/", "per").Replace(inside)
	if trace, hash, ok := c.Trace(); ok {
		name = "trace-" + trace + "-" + hash
	}
	if len(name) > longName {
		h := fnv.New32a()
		h.Write([]byte(c))
		name = fmt.Sprintf("%s-%08x", name[:longName], h.Sum32())
	}
	return name
}

// RateText returns the rate for people: 3000/s, or of a section 1,000/s in 10–15 s,
// 2,900–4,800/s in 6–12 s, or about 512/s in 6–12 s, where its messages are due when a trace says.
func (s Shape) RateText() string {
	if s.Changes == "" {
		return s.Rate.String()
	}
	all := s.Changes.Sections()
	if s.Section < 1 || s.Section > len(all) {
		if name, _, ok := s.Changes.Trace(); ok {
			return "trace " + name
		}
		return string(s.Changes)
	}
	one := all[s.Section-1]
	text, unit := "about "+counted(s.Rate), perSecond(s.Rate)
	if one.Begin == one.End && one.Begin > 0 {
		text, unit = counted(one.Begin), perSecond(one.Begin)
	} else if one.Begin > 0 {
		text = counted(one.Begin) + "–" + counted(one.End)
	}
	return fmt.Sprintf("%s%s in %v–%v s", text, unit, one.From.Seconds(), one.To.Seconds())
}

// RateColumn is RateText for a column whose head says that it is per second.
func (s Shape) RateColumn() string {
	if s.Changes == "" {
		return s.Rate.Column()
	}
	return strings.Replace(s.RateText(), "/s", "", 1)
}

// counted returns a rate without its unit, and of ten a second or more in whole messages.
func counted(r schedule.Rate) string {
	if n := math.Round(float64(r)); r >= 10 {
		return words.Count(int64(n))
	}
	return strings.TrimSuffix(r.String(), "/s")
}

// perSecond returns the unit of a rate that counted has left out.
func perSecond(r schedule.Rate) string {
	if strings.Contains(counted(r), "/") {
		return "" // such as 6/m
	}
	return "/s"
}

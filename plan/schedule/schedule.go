// Package schedule says when messages are due. A schedule is data: it has no clock
// and depends on nothing that happens in a run.
package schedule

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// A Spec describes a schedule.
type Spec struct {
	Arrivals Arrivals      // "" means Constant
	Rate     Rate          // over all parts
	Duration time.Duration // messages are due from 0 (inclusive) to Duration (exclusive)
	Seed     uint64        // for random arrivals; any value will do

	// Course is that of a rate that changes, as long as Duration; Rate is then its mean, and
	// says nothing of when messages are due. Nil: the rate does not change.
	Course *Course
}

// Validate returns an error that names every invalid field.
func (s Spec) Validate() error {
	var wrong []string
	if s.Rate.Thousandths() == 0 {
		wrong = append(wrong, fmt.Sprintf("rate %v is not between %v and 1,000,000,000/s", s.Rate, MinRate))
	}
	if s.Duration <= 0 {
		wrong = append(wrong, fmt.Sprintf("duration %v is not positive", s.Duration))
	}
	if err := s.Arrivals.Validate(); err != nil {
		wrong = append(wrong, fmt.Sprintf("arrivals %q: %v", string(s.Arrivals), err))
	}
	if wrong != nil {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// A Part is the part of a schedule that one connection or machine carries: part
// Index of Of. The zero value is the whole.
//
// Message n of a constant schedule, or of one in bursts, belongs to part n mod Of:
// the parts interleave evenly and add up to exactly the whole. In a Poisson
// schedule each part draws for itself, with its own seed and its part of the
// rate; together they are a Poisson process of the whole rate.
type Part struct{ Index, Of int }

// Split returns part i of n of this part: split again, each pair of parts is a
// different part. Machines split connections instead: see Connections.
func (p Part) Split(i, n int) Part {
	of := max(p.Of, 1)
	return Part{Index: p.Index + i*of, Of: of * n}
}

// Connections returns the parts of the connections that a part carries of a schedule
// that is spread over total connections: those whose number is Index modulo Of. Each
// connection carries the very messages that it would carry on one machine, random ones
// too, so the parts add up to exactly the whole. A part beyond the last connection has
// none.
func (p Part) Connections(total int) (list []Part) {
	for n := p.Index; n < total; n += max(p.Of, 1) {
		list = append(list, Part{Index: n, Of: total})
	}
	return list
}

// Offsets yields when the messages of a part are due, in order.
// The spec must be valid.
func (s Spec) Offsets(part Part) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		cursor := s.Cursor(part)
		for due, ok := cursor.Next(); ok; due, ok = cursor.Next() {
			if !yield(due) {
				return
			}
		}
	}
}

// Count returns exactly how many messages of a part are due. For random arrivals
// it draws them all. A burst that begins before the end counts as a whole.
func (s Spec) Count(part Part) int {
	counter := s.Counter(part)
	return counter.Until(s.Duration)
}

package config

import (
	"fmt"
	"math"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// A key is a key of a plan file, of which there is a flag and a variable, too.
// Reading, the schema and the environment all go by the same keys.
type key struct {
	name     string
	doc      string
	def      string // the default, as it would be written
	examples []any
	schema   object // of a value
}

// An axis is a key that cells differ in.
type axis struct {
	key
	put   func(s *plan.Shape, text string) error // reads text; does not check limits
	given func(*Overrides) *[]string

	number       func(plan.Shape) int // for axes that a sweep goes over; else nil
	sweepExample string
}

// axes returns the axes, the one that changes slowest first.
func axes() []axis {
	return []axis{
		{
			key{"rate", "Ops per second over all connections; 20k is 20000. In a matrix, numbers can be ranges, too: 1k..64k*2, 100..500+100.", "3000", []any{3000, "20k"}, numeric(rateText)},
			putRate, func(o *Overrides) *[]string { return &o.Rate },
			func(s plan.Shape) int { return s.Rate }, "1k..64k*2",
		},
		{
			key{"size", "Bytes of a request and of its reply, at least 16. KiB is 1024 bytes, KB is 1000.", "1KiB", []any{"256B", "1KiB"}, numeric(sizeText)},
			putSize, func(o *Overrides) *[]string { return &o.Size },
			func(s plan.Shape) int { return s.Size }, "256B..1MiB*4",
		},
		{
			key{"connections", "Connections that share the rate.", "1", []any{1, 25}, count(math.MaxInt32)},
			putConnections, func(o *Overrides) *[]string { return &o.Connections },
			func(s plan.Shape) int { return s.Connections }, "1..256*4",
		},
		{
			key{"in-flight", "Requests on the way at once on each connection, or open: no limit. 1 waits for each reply.", "open", []any{1, "open"}, orWord(count(math.MaxInt32), "open")},
			putInFlight, func(o *Overrides) *[]string { return &o.InFlight },
			func(s plan.Shape) int { return s.InFlight }, "1..64*2",
		},
		{
			key{"arrivals", "How ops are spread over time: evenly, at random, or N due at the same moment.", "constant", []any{"constant", "poisson", "burst:10"}, arrivalsSchema()},
			putArrivals, func(o *Overrides) *[]string { return &o.Arrivals }, nil, "",
		},
	}
}

func putRate(s *plan.Shape, text string) (err error) {
	s.Rate, err = parseRate(text)
	return err
}

func putSize(s *plan.Shape, text string) (err error) {
	s.Size, err = parseSize(text)
	return err
}

func putConnections(s *plan.Shape, text string) (err error) {
	s.Connections, err = parseCount("connections", text, math.MaxInt32)
	return err
}

func putInFlight(s *plan.Shape, text string) (err error) {
	if text == "open" {
		s.InFlight = 0
		return nil
	}
	if s.InFlight, err = parseCount("in-flight", text, math.MaxInt32); err != nil {
		return fmt.Errorf("%w, or open", err)
	}
	return nil
}

// defaultShape returns the shape of a cell that says nothing.
func defaultShape() (s plan.Shape) {
	for _, a := range axes() {
		if err := a.put(&s, a.def); err != nil {
			panic("config: default of " + a.name + ": " + err.Error())
		}
	}
	return s
}

// check returns the shape that has this value and else defaults, and what is
// wrong with the value.
func (a axis) check(text string) (plan.Shape, error) {
	s := defaultShape()
	if err := a.put(&s, text); err != nil {
		return s, err
	}
	return s, plain(s.Validate())
}

// plain takes the package's name from the head of an error, which a place in a
// file replaces.
func plain(err error) error {
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), "schedule: ")
	return fmt.Errorf("%s", text)
}

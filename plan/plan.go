// Package plan describes an experiment: the targets to measure, at which rates, sizes and
// connections. It is plain data, which package measure runs and results store.
package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A Target is a broker at a URL with options. The URL may hold a password.
type Target struct {
	Name string `json:"name"` // short, unique within a plan; names rows, and folders by FileName
	URL  string `json:"url"`

	System *System `json:"system,omitempty"` // how it is run; nil: not known
}

// A Shape is one point of the matrix: the load that every target gets.
type Shape struct {
	Rate        schedule.Rate     `json:"rate_per_s"`
	Size        int               `json:"size_bytes"`      // 0: several, see Sizes
	Sizes       schedule.Sizes    `json:"sizes,omitempty"` // with their weights. Beside a Size: that one of them
	Connections int               `json:"connections"`
	InFlight    int               `json:"in_flight"` // per connection; 0 is open
	Arrivals    schedule.Arrivals `json:"arrivals"`

	// Changes is a rate that changes over the window, whose mean Rate is then; "": it does not.
	Changes schedule.Changes `json:"rate_changes,omitempty"`
	// Section is which section of the window a result is of, from 1, at a rate that changes: Rate
	// is then its mean. 0: the whole window.
	Section int `json:"section,omitempty"`
}

// Settings are what all cells of a plan have in common.
type Settings struct {
	Duration time.Duration `json:"duration_ns"`    // of the measured window
	Warmup   time.Duration `json:"warmup_ns"`      // before it, in the same schedule
	Timeout  time.Duration `json:"timeout_ns"`     // how long to wait for replies after the last due
	Seed     uint64        `json:"seed"`           // of random arrivals, message contents and the order of targets
	Senders  int           `json:"senders"`        // threads that send; 0 means 1
	Spin     Spin          `json:"spin"`           // how long the sender spins before due
	Floor    bool          `json:"floor"`          // whether to measure the cost of the tool and the kernel alone
	Audit    bool          `json:"audit"`          // whether to read the target's store after the run
	Echo     Echo          `json:"echo,omitempty"` // the process that sends messages back; "": none

	// Percentiles are those that the result must have: one that is unreliable is
	// reported as a problem. Empty means DefaultPercentiles.
	Percentiles []float64 `json:"percentiles,omitempty"`

	// SLOObserved lets the measured value of a percentile decide an objective, without its interval.
	SLOObserved bool `json:"slo_observed,omitempty"`

	Faults []Fault `json:"faults,omitempty"` // in order of At

	Traces []Trace `json:"traces,omitempty"` // that rates are
}

// An Echo is the process that sends messages back, so that each takes two hops.
type Echo string

// The echoes.
const (
	EchoProcess Echo = "process" // one process for each process that sends
	EchoAgent   Echo = "agent"   // the next agent
)

// DefaultPercentiles are those of a plan that names none.
func DefaultPercentiles() []float64 { return []float64{50, 99, 99.9} }

// KnownPercentiles are those that a result lists and a plan may ask for. A result
// always has the maximum, too.
func KnownPercentiles() []float64 { return []float64{50, 75, 90, 95, 99, 99.9, 99.99, 99.999} }

// Asked returns the percentiles that the result must have.
func (s Settings) Asked() []float64 {
	if len(s.Percentiles) == 0 {
		return DefaultPercentiles()
	}
	return s.Percentiles
}

// A Plan is the list of cells to measure: every shape on every target, several
// times.
type Plan struct {
	Name     string   `json:"name"`
	Targets  []Target `json:"targets"`
	Shapes   []Shape  `json:"shapes"`
	Settings Settings `json:"settings"`
	Repeat   int      `json:"repeat"` // 0 means 1
	SLOs     []SLO    `json:"slos,omitempty"`
}

// A Cell is one target × shape, measured once.
type Cell struct {
	Target   Target      `json:"target"`
	Shape    Shape       `json:"shape"`
	Settings Settings    `json:"settings"`
	Repeat   int         `json:"repeat"`         // counted from 1
	SLOs     []Objective `json:"slos,omitempty"` // that it should satisfy
}

// Cells returns every cell in the order of measuring. The targets of one shape
// follow each other, so that cells to be compared are close in time, and all
// shapes are measured once before the next repeat.
//
// With repeats, the order of the targets is drawn from the seed for each shape, and every second
// repeat has the reverse of the one before. So a machine that gets slower and slower favours no
// target. Without repeats it is the plan's.
func (p Plan) Cells() (cells []Cell) {
	order := p.orders()
	for repeat := range max(p.Repeat, 1) {
		for n, shape := range p.Shapes {
			for _, i := range order(repeat, n) {
				cells = append(cells, Cell{
					Target: p.Targets[i], Shape: shape, Settings: p.Settings.For(shape), Repeat: repeat + 1,
					SLOs: p.objectives(p.Targets[i].Name, shape),
				})
			}
		}
	}
	return cells
}

// Took returns how long the plan takes if nothing is late: floors, windows and
// warm-ups.
func (p Plan) Took() time.Duration {
	took := time.Duration(0)
	for _, c := range p.Cells() {
		if took += c.Settings.Warmup + c.Settings.Duration; p.Settings.Floor {
			took += c.FloorTook()
		}
	}
	return took
}

// How the floor of a cell is measured: twice, each after a warm-up, without a socket
// and against an echo. The latter is as long as the cell's highest percentile needs for
// ten messages above it, but no longer than a part of the cell's own window.
const (
	FloorWarmup  = 250 * time.Millisecond
	FloorNoop    = 250 * time.Millisecond
	leastFloor   = time.Second
	floorPart    = 5 // of the window
	mostFloor    = time.Minute
	aboveAFloors = 10
)

// FloorWindow returns how long the echo is measured for the floor of the cell.
func (c Cell) FloorWindow() time.Duration {
	asked := slices.Max(c.Settings.Asked())
	window, ok := c.Shape.Rate.After(uint64(math.Ceil(aboveAFloors / (1 - asked/100))))
	if !ok {
		return leastFloor
	}
	return max(min(window.Truncate(time.Second)+time.Second, c.Settings.Duration/floorPart, mostFloor), leastFloor)
}

// FloorTook returns how long the floor of the cell takes.
func (c Cell) FloorTook() time.Duration { return 2*FloorWarmup + FloorNoop + c.FloorWindow() }

// Schedule returns when the messages of the cell are due, warm-up included. The
// seed of a repeat is Settings.Seed + Repeat − 1: repeats draw independently, and
// targets of the same repeat get the same arrivals.
func (c Cell) Schedule() schedule.Spec {
	return schedule.Spec{
		Arrivals: c.Shape.Arrivals, Rate: c.Shape.Rate, Seed: c.Settings.Seed + uint64(max(c.Repeat, 1)-1),
		Duration: c.Settings.Warmup + c.Settings.Duration, Course: c.course(),
	}
}

// String returns the shape as folders name it: letters, digits, dashes and dots.
func (s Shape) String() string {
	inFlight := "open"
	if s.InFlight > 0 {
		inFlight = strconv.Itoa(s.InFlight)
	}
	rate := strings.ReplaceAll(s.Rate.Column(), "/", "-per-") // 7-per-m
	if s.Changes != "" {
		rate = changesName(s.Changes)
	}
	text := fmt.Sprintf("%s-%s-c%d-f%s", rate, s.sizeID(), s.Connections, inFlight)
	if !s.Arrivals.Even() {
		text += "-" + strings.ReplaceAll(string(s.Arrivals), ":", "") // burst10
	}
	if s.Section > 0 {
		text += fmt.Sprintf("-s%d", s.Section)
	}
	return text
}

// ID returns a name for the cell, unique among the cells of a plan, and for files.
func (c Cell) ID() string { return fmt.Sprintf("%s-r%d", c.SharedID(), max(c.Repeat, 1)) }

// String returns the ID with the unchanged name of the target, for people.
func (c Cell) String() string {
	return fmt.Sprintf("%s-%v-r%d", c.Target.Name, c.Shape, max(c.Repeat, 1))
}

// SharedID returns the name that a cell shares with its repeats, and with no other
// cell of a plan.
func (c Cell) SharedID() string { return fmt.Sprintf("%s-%v", FileName(c.Target.Name), c.Shape) }

// orderStream is the random stream that orders are drawn from. The shares of a
// schedule use the streams from 0 on.
const orderStream = 1 << 63

// orders returns a function that returns the order in which to measure the targets in a repeat
// with a shape: their indices.
func (p Plan) orders() func(repeat, shape int) []int {
	draw := rand.New(rand.NewPCG(p.Settings.Seed, orderStream)) //nolint:gosec // not a secret
	last := make([][]int, len(p.Shapes))
	return func(repeat, shape int) []int {
		switch {
		case p.Repeat > 1 && repeat%2 == 0:
			last[shape] = draw.Perm(len(p.Targets))
		case p.Repeat > 1:
			slices.Reverse(last[shape])
		case last[shape] == nil:
			last[shape] = make([]int, len(p.Targets))
			for i := range last[shape] {
				last[shape][i] = i
			}
		}
		return last[shape]
	}
}

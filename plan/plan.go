// Package plan describes an experiment: the targets to measure, at which rates, sizes and
// connections. It is plain data, which package measure runs and results store.
package plan

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan/payload"
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
	Topology    Topology          `json:"topology,omitzero"` // zero: each connection consumes what it sends
	Payload     payload.Spec      `json:"payload,omitempty"` // content of messages; "": random
	Files       payload.Files     `json:"files,omitzero"`    // that are the messages; Size is that of the largest
	Keys        schedule.Keys     `json:"keys,omitzero"`     // of messages; zero: they have none
	Headers     Headers           `json:"headers,omitzero"`  // of each message; zero: none

	Backlog    Backlog `json:"backlog,omitzero"`            // of group 0; zero: none
	UntilStore int64   `json:"until_store_bytes,omitempty"` // that the store holds as the schedule begins; 0: it begins empty

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
	Cold     bool          `json:"cold,omitempty"` // whether to drop the page cache once the store is filled
	Echo     Echo          `json:"echo,omitempty"` // the process that sends messages back; "": none

	// Percentiles are those that the result must have: one that is unreliable is
	// reported as a problem. Empty means DefaultPercentiles.
	Percentiles []float64 `json:"percentiles,omitempty"`

	// SLOObserved lets the measured value of a percentile decide an objective, without its interval.
	SLOObserved bool `json:"slo_observed,omitempty"`

	Faults []Fault `json:"faults,omitempty"` // in order of At

	Traces []Trace `json:"traces,omitempty"` // that rates are

	Users []User `json:"users,omitempty"` // whose times are computed beside those of messages
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
	Repeat   int         `json:"repeat"`            // counted from 1
	Repeats  int         `json:"repeats,omitempty"` // so many has the plan; 0: one, or as many as an answer takes
	SLOs     []Objective `json:"slos,omitempty"`    // that it should satisfy
}

// Cells returns every cell in the order of measuring. The targets of one shape
// follow each other, so that cells to be compared are close in time, and all
// shapes are measured once before the next repeat.
//
// With repeats, the order of the targets is drawn from the seed for each shape, and every second
// repeat has the reverse of the one before. So a machine that gets slower and slower favours no
// target. Without repeats it is the plan's.
func (p Plan) Cells() (cells []Cell) {
	order, repeats := p.orders(), p.Repeat
	if repeats == 1 {
		repeats = 0
	}
	for repeat := range max(repeats, 1) {
		for n, shape := range p.Shapes {
			for _, i := range order(repeat, n) {
				cells = append(cells, Cell{
					Target: p.Targets[i], Shape: shape, Settings: p.Settings.For(shape), Repeat: repeat + 1, Repeats: repeats,
					SLOs: p.objectives(p.Targets[i].Name, shape),
				})
			}
		}
	}
	return cells
}

// Took returns how long the plan takes if nothing is late: floors, windows, warm-ups, and the
// waits of cells with power cuts.
func (p Plan) Took() time.Duration {
	took := time.Duration(0)
	for _, c := range p.Cells() {
		if took += c.Settings.Warmup + c.Settings.Duration; p.Settings.Floor {
			took += c.FloorTook() + c.diskFloorsTook()
		}
		if slices.ContainsFunc(c.Settings.Faults, Fault.Settles) {
			took += Settling
		}
	}
	return took
}

// DiskFloor is how long the floor of a disk takes.
const DiskFloor = 1500 * time.Millisecond

// onDisk finds targets that promise that acknowledged messages are on a disk.
var onDisk = regexp.MustCompile(`[?&,]durability=(machine|node)\b`)

// diskFloorsTook returns how long the floors of disks take before and after the cell: of one disk, if the nodes of the
// target are known to keep their data on this machine.
func (c Cell) diskFloorsTook() time.Duration {
	known := strings.HasPrefix(c.Target.URL, "local:")
	if s := c.Target.System; s != nil {
		known = known || slices.ContainsFunc(s.Nodes, func(n Node) bool { return n.Data != "" && n.On == "" })
	}
	if !known || !onDisk.MatchString(c.Target.URL) {
		return 0
	}
	return 2 * DiskFloor
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

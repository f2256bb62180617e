// Package sample records, a hundred times a second, possible causes of slow messages: waits for cores, quotas, stops,
// pressure, disks, sockets and collections of garbage, of this process, this machine and the nodes on it. It reads
// small files that it holds open, off the path of messages.
package sample

import (
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// Every is the time between two samples, until there are so many that two become one.
const Every = 10 * time.Millisecond

// Of what takes longer to read than the waits of this process for a core, pair samples share one reading, and coarse
// samples of what takes longest.
const (
	pair   = 2
	coarse = 5
)

// Nodes are the nodes of a target.
type Nodes interface {
	// Families returns the nodes whose processes are on this machine, always the same in the same order. It
	// calls pause, which waits, between two things that it reads. It is called from one goroutine at a time.
	Families(pause func()) []process.Node
}

// A Sampler samples possible causes during one cell. Its methods are called one after the other. It wakes up for itself
// only to search: to wake up a hundred times a second costs more than to read, so that it uses the ticks of another.
type Sampler struct {
	nodes   Nodes
	store   store
	sources []source
	missing []cause.NotKnown
	finder  finder
	pauser  func()

	start  time.Time
	next   time.Duration // when the next sample is due
	last   time.Duration // when the last one ended
	n      int           // samples
	out    []int64       // the values of one sample
	buffer [8192]byte    // for reading files
	over   chan struct{}
	ended  sync.WaitGroup
}

// A source reads the values of some series.
type source interface {
	// read sets the values of its series since the last call, which was so long ago. n counts the calls.
	read(s *Sampler, n int, elapsed time.Duration)
	close()
}

// New returns a sampler of this process, this machine, and the nodes; nil: they are not known. It reads nothing yet.
func New(nodes Nodes) *Sampler {
	return &Sampler{nodes: nodes, over: make(chan struct{}), pauser: func() { time.Sleep(time.Millisecond) }}
}

// Prepare finds the processes and opens their files, which takes some milliseconds for each node. A cell will last
// for about length.
func (s *Sampler) Prepare(length time.Duration) {
	s.open()
	s.store.grow(int(length/Every) + 1)
	s.out = make([]int64, len(s.store.series))
}

// Begin begins the first sample; start is when the schedule begins.
func (s *Sampler) Begin(start time.Time) {
	s.start = start
	for _, source := range s.sources { // the first sample counts from here
		source.read(s, 0, 0)
	}
	clear(s.out)
	s.last = time.Since(start)
	s.store.begin(s.last)
	s.ended.Go(func() { s.finder.find(s.over, s.pauser) })
}

// End ends sampling and writes the samples. Without Begin there are none.
func (s *Sampler) End(to *cause.Samples) {
	if !s.start.IsZero() {
		close(s.over)
		s.ended.Wait()
	}
	for _, source := range s.sources {
		source.close()
	}
	s.sources = nil
	s.store.describe(to)
	to.Missing = s.missing
}

// Tick takes a sample if one is due, which is at every multiple of Every; those that were missed make one long sample. It
// takes less than a millisecond, and is called a thousand times a second between Begin and End.
func (s *Sampler) Tick() {
	at := time.Since(s.start)
	if at < s.next {
		return
	}
	s.next = at - at%Every + Every
	s.n++
	s.sample(s.n, at, at-s.last)
	s.last = at
}

// sample takes one sample.
func (s *Sampler) sample(n int, at, elapsed time.Duration) {
	s.store.add(at, nil)
	for _, source := range s.sources {
		source.read(s, n, elapsed)
	}
	s.store.set(s.out)
	clear(s.out)
}

// add adds a series and returns its number.
func (s *Sampler) add(what, where, kind, unit string) int {
	s.store.series = append(s.store.series, &series{cause: what, where: where, kind: kind, unit: unit})
	return len(s.store.series) - 1
}

// lacks notes that a cause cannot be sampled.
func (s *Sampler) lacks(what, where, reason string) {
	s.missing = append(s.missing, cause.NotKnown{Cause: what, Where: where, Reason: reason})
}

// A counter is a number that only grows.
type counter struct {
	last, delta int64 // delta: the result of the last call of grown
	known       bool
}

// grown returns by how much it grew since the last call; 0 the first time.
func (c *counter) grown(now int64) int64 {
	before, known := c.last, c.known
	c.last, c.known, c.delta = now, true, 0
	if known {
		c.delta = max(0, now-before)
	}
	return c.delta
}

// above returns by how much now exceeds the greatest number so far; 0 the first time.
func (c *counter) above(now int64) int64 { return c.grown(max(now, c.last)) }

// A pace tells when a counter is read: every pair samples; every coarse ones while it does not grow.
type pace struct {
	last     int // the sample in which it was read
	readings int // since the one before
	rests    bool
}

// due reports whether a counter is read in sample n.
func (p *pace) due(n int) bool {
	every := pair
	if p.rests {
		every = coarse
	}
	if p.readings = n - p.last; n > 0 && p.readings < every {
		return false
	}
	p.last = n
	return true
}

// put adds by how much a counter grew.
func (p *pace) put(s *Sampler, series int, grew int64) {
	p.rests = grew == 0
	s.store.back(series, grew, p.readings)
}

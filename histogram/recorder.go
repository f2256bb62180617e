package histogram

import (
	"fmt"
	"sync"
	"time"
)

// A Sample is a value for one of a [Recorder]'s series.
type Sample struct {
	Series int
	Value  time.Duration
}

// A Recorder takes samples from many goroutines, and hands them over when [Recorder.Swap]
// asks for them. It keeps two histograms for each series and shard, one in use and one
// spare, however many goroutines record.
//
// Record and Swap may be called concurrently.
type Recorder struct {
	shards []shard
	swap   sync.Mutex // held by Swap, which owns the spares
}

// A shard is a set of histograms with their lock.
type shard struct {
	mu    sync.Mutex
	live  []Histogram // guarded by mu
	spare []Histogram // empty; guarded by Recorder.swap
	_     [128]byte   // the next shard's lock is on other cache lines
}

// NewRecorder returns a Recorder for that many series and shards, at least one of
// each. A goroutine waits only while another records to the same shard, so a few
// shards are enough for any number of goroutines.
func NewRecorder(series, shards int) *Recorder {
	r := &Recorder{shards: make([]shard, max(shards, 1))}
	for i := range r.shards {
		r.shards[i].live = block(max(series, 1))
		r.shards[i].spare = block(max(series, 1))
	}
	return r
}

// Grow gives the recorder that many series, if it has fewer. It must not be called
// concurrently with Record or Swap, and forgets what was recorded.
func (r *Recorder) Grow(series int) {
	if series > len(r.shards[0].live) {
		r.shards = NewRecorder(series, len(r.shards)).shards
	}
}

// block returns n empty histograms side by side, with room for one more behind them,
// so that their counters share no cache line with those of another shard.
func block(n int) []Histogram {
	histograms := make([]Histogram, n+1)[:n]
	for i := range histograms {
		histograms[i] = resident()
	}
	return histograms
}

// Record records the samples in a shard, modulo the number of shards, so that a
// connection's number will do. It allocates nothing and does not keep samples. An
// unknown series panics.
func (r *Recorder) Record(shard int, samples []Sample) {
	s := &r.shards[uint(shard)%uint(len(r.shards))]
	s.mu.Lock()
	for _, sample := range samples {
		s.live[sample.Series].Record(sample.Value)
	}
	s.mu.Unlock()
}

// Swap adds what was recorded since the last Swap to the histograms of into, one for
// each series, made by [New]. Each shard is locked only while it is exchanged with its
// spare. Swap takes every sample whose Record has returned before Swap is called; the
// samples of one Record are never split between two calls of Swap.
//
// It panics if into does not have one histogram for each series, or if they cannot
// hold what was recorded.
func (r *Recorder) Swap(into []*Histogram) {
	r.swap.Lock()
	defer r.swap.Unlock()
	if series := len(r.shards[0].live); len(into) != series {
		panic(fmt.Sprintf("histogram: swapping %d series into %d histograms", series, len(into)))
	}
	for i := range r.shards {
		taken := r.shards[i].take()
		for series := range taken {
			if err := into[series].Merge(&taken[series]); err != nil {
				panic(err) // not made by New
			}
			taken[series].Reset()
		}
	}
}

// take exchanges what was recorded with the spare, and returns it. Once the caller
// has emptied it, it is the spare of the next Swap.
func (s *shard) take() []Histogram {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live, s.spare = s.spare, s.live
	return s.spare
}

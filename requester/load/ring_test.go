package load

import (
	"runtime"
	"testing"
	"time"
	"unsafe"
)

// flow sends n ops with so many in flight, of which each is answered in turn, but
// for those that are lost.
func flow(r *ring, n, inFlight uint64, lost func(seq uint64) bool) {
	for range n {
		seq := r.push(entry{state: pending})
		if seq >= inFlight && !lost(seq-inFlight) {
			r.settle(seq-inFlight, r.at(seq-inFlight))
		}
	}
}

func TestALostReplyKeepsNothingElse(t *testing.T) {
	var r ring
	flow(&r, 1_000_000, 100, func(seq uint64) bool { return seq == 5 })
	if n := r.recent.len(); n > 256 || r.stragglers.len() != 1 || len(r.recent.chunks) > 16 {
		t.Fatalf("%d recent ops in %d chunks and %d stragglers", n, len(r.recent.chunks), r.stragglers.len())
	}
	late := r.at(5)
	if late == nil || !late.awaited() {
		t.Fatalf("the lost op is %+v", late)
	}
	r.settle(5, late)
	if r.at(5) != nil || r.stragglers.len() != 0 {
		t.Errorf("after its reply %d stragglers", r.stragglers.len())
	}
}

// An hour at 20,000/s over 25 connections with one reply in a hundred lost: what
// it takes to know the missing ones, and no more.
func TestLossesOfAnHour(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var r ring // of one connection
	flow(&r, 20_000/25*3600, 20, func(seq uint64) bool { return seq%100 == 0 })
	if n := r.stragglers.len(); n < 28_000 || n > 28_800 || r.recent.len() > 256 {
		t.Errorf("%d stragglers, %d recent", n, r.recent.len())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if mib := 25 * float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20); mib > 50 {
		t.Errorf("%.0f MiB after an hour of losses", mib)
	}
	runtime.KeepAlive(&r)
}

func TestStragglersAreFoundInAnyOrder(t *testing.T) {
	var r ring
	flow(&r, 10_000, 10, func(seq uint64) bool { return seq%10 == 3 })
	for seq := uint64(9983); seq < 10_000; seq -= 20 { // every other one, from the end
		r.settle(seq, r.at(seq))
		if r.at(seq) != nil && r.at(seq).awaited() {
			t.Fatalf("op %d is still awaited", seq)
		}
	}
	n := 0
	r.unsettled(func(uint64, *entry) { n++ })
	if n != 499+10 { // those that were not settled, and what is in flight
		t.Errorf("%d unanswered, want 509", n)
	}
	for seq := uint64(13); seq < 9980; seq += 20 {
		if e := r.at(seq); e == nil || !e.awaited() {
			t.Fatalf("op %d is %+v", seq, e)
		}
	}
	if r.at(12) != nil {
		t.Error("an op that was answered is still there")
	}
}

// Millions of ops can be in flight or lost.
func TestAnOpInFlightTakesTwentyFourBytes(t *testing.T) {
	if n := unsafe.Sizeof(entry{}); n > 24 {
		t.Errorf("it takes %d B", n)
	}
	for _, d := range []time.Duration{0, 1, 1<<16 - 1, 1 << 16, 1<<32 + 5, time.Hour, 1<<48 - 1} {
		if got := shorten(d).duration(); got != d {
			t.Errorf("%d ns became %d", d, got)
		}
	}
	if got := shorten(1000 * time.Hour).duration(); got < 78*time.Hour {
		t.Errorf("what is too long became %v", got)
	}
}

// Slots are freed oldest first, of stragglers before recent ops, each once.
func TestOldestSlot(t *testing.T) {
	var r ring
	for i := range 1000 {
		seq := r.push(entry{state: pending, sent: time.Duration(i)})
		if i%100 != 7 && i < 990 {
			r.settle(seq, r.at(seq))
		}
	}
	var got []time.Duration
	for e, ok := r.oldestSlot(); ok; e, ok = r.oldestSlot() {
		got = append(got, e.sent)
		e.state = expired
	}
	if len(got) != 20 || got[0] != 7 || got[9] != 907 || got[10] != 990 || got[19] != 999 {
		t.Errorf("slots freed of the ops sent at %d", got)
	}
}

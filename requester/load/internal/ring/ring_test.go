package ring

import (
	"runtime"
	"testing"
	"time"
	"unsafe"
)

// flow sends n ops with so many in flight, of which each is answered in turn, but
// for those that are lost.
func flow(r *Ring, n, inFlight uint64, lost func(seq uint64) bool) {
	for range n {
		seq := r.Push(Entry{State: Pending})
		if seq >= inFlight && !lost(seq-inFlight) {
			r.Settle(seq-inFlight, r.At(seq-inFlight))
		}
	}
}

func TestALostReplyKeepsNothingElse(t *testing.T) {
	var r Ring
	flow(&r, 1_000_000, 100, func(seq uint64) bool { return seq == 5 })
	if n := r.recent.Len(); n > 256 || r.stragglers.Len() != 1 || len(r.recent.chunks) > 16 {
		t.Fatalf("%d recent ops in %d chunks and %d stragglers", n, len(r.recent.chunks), r.stragglers.Len())
	}
	late := r.At(5)
	if late == nil || !late.Awaited() {
		t.Fatalf("the lost op is %+v", late)
	}
	r.Settle(5, late)
	if r.At(5) != nil || r.stragglers.Len() != 0 {
		t.Errorf("after its reply %d stragglers", r.stragglers.Len())
	}
}

// An hour at 20,000/s over 25 connections with one reply in a hundred lost: what
// it takes to know the missing ones, and no more.
func TestLossesOfAnHour(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var r Ring // of one connection
	flow(&r, 20_000/25*3600, 20, func(seq uint64) bool { return seq%100 == 0 })
	if n := r.stragglers.Len(); n < 28_000 || n > 28_800 || r.recent.Len() > 256 {
		t.Errorf("%d stragglers, %d recent", n, r.recent.Len())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if mib := 25 * float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20); mib > 50 {
		t.Errorf("%.0f MiB after an hour of losses", mib)
	}
	runtime.KeepAlive(&r)
}

func TestStragglersAreFoundInAnyOrder(t *testing.T) {
	var r Ring
	flow(&r, 10_000, 10, func(seq uint64) bool { return seq%10 == 3 })
	for seq := uint64(9983); seq < 10_000; seq -= 20 { // every other one, from the end
		r.Settle(seq, r.At(seq))
		if r.At(seq) != nil && r.At(seq).Awaited() {
			t.Fatalf("op %d is still awaited", seq)
		}
	}
	n := 0
	r.Unsettled(func(uint64, *Entry) { n++ })
	if n != 499+10 { // those that were not settled, and what is in flight
		t.Errorf("%d unanswered, want 509", n)
	}
	for seq := uint64(13); seq < 9980; seq += 20 {
		if e := r.At(seq); e == nil || !e.Awaited() {
			t.Fatalf("op %d is %+v", seq, e)
		}
	}
	if r.At(12) != nil {
		t.Error("an op that was answered is still there")
	}
}

// Millions of ops can be in flight or lost.
func TestAnOpInFlightTakesTwentyFourBytes(t *testing.T) {
	if n := unsafe.Sizeof(Entry{}); n > 24 {
		t.Errorf("it takes %d B", n)
	}
	for _, d := range []time.Duration{0, 1, 1<<16 - 1, 1 << 16, 1<<32 + 5, time.Hour, 1<<48 - 1} {
		if got := Shorten(d).Duration(); got != d {
			t.Errorf("%d ns became %d", d, got)
		}
	}
	if got := Shorten(1000 * time.Hour).Duration(); got < 78*time.Hour {
		t.Errorf("what is too long became %v", got)
	}
}

// Slots are freed oldest first, of stragglers before recent ops, each once.
func TestOldestSlot(t *testing.T) {
	var r Ring
	for i := range 1000 {
		seq := r.Push(Entry{State: Pending, Sent: time.Duration(i)})
		if i%100 != 7 && i < 990 {
			r.Settle(seq, r.At(seq))
		}
	}
	var got []time.Duration
	for e, ok := r.OldestSlot(); ok; e, ok = r.OldestSlot() {
		got = append(got, e.Sent)
		e.State = Expired
	}
	if len(got) != 20 || got[0] != 7 || got[9] != 907 || got[10] != 990 || got[19] != 999 {
		t.Errorf("slots freed of the ops sent at %d", got)
	}
}

func TestRingFollowsTheLongestStall(t *testing.T) {
	var r Ring
	for round := range 3 {
		var pending []uint64
		for range 1000 {
			pending = append(pending, r.Push(Entry{State: Pending, Due: time.Duration(round)}))
		}
		for i, seq := range pending {
			if i%2 == 0 { // out of order: the even ones first
				r.Settle(seq, r.At(seq))
			}
		}
		for i, seq := range pending {
			if i%2 == 1 {
				r.Settle(seq, r.At(seq))
			}
		}
		if r.recent.Len() != 0 || r.stragglers.Len() != 0 || r.At(pending[0]) != nil || r.At(r.Next()) != nil {
			t.Fatalf("round %d: %d recent, %d stragglers", round, r.recent.Len(), r.stragglers.Len())
		}
	}
	if len(r.recent.chunks) != 32 {
		t.Errorf("the ring has %d chunks for 1000 in flight", len(r.recent.chunks))
	}
}

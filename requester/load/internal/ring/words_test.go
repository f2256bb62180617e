package ring

import "testing"

func TestWordsFollowTheRing(t *testing.T) {
	var r Ring
	var w Words
	r.Words = &w
	const n = 10 * recentAtLeast
	for seq := range uint64(n) {
		r.Push(Entry{State: Pending})
		*w.of(&r, seq) = seq + 1
		if seq%3 != 0 { // every third becomes a straggler
			r.Settle(seq, r.At(seq))
		}
	}
	if r.stragglers.Len() == 0 {
		t.Fatal("no op was overtaken")
	}
	for seq := uint64(0); seq < n; seq += 3 {
		if got := *w.of(&r, seq); got != seq+1 {
			t.Fatalf("the word of op %d is %d", seq, got)
		}
		r.Settle(seq, r.At(seq))
	}
	w.follow(&r)
	if w.recent.Len() > 1 || w.stragglers.Len() != 0 {
		t.Errorf("%d recent words and %d of stragglers are left", w.recent.Len(), w.stragglers.Len())
	}
}

package ring

// Words has a word of 64 bits for each op of a ring, which follows it: bit g says that group g has the op.
// It is apart from the entries so that these stay small without groups.
type Words struct {
	recent     Deque[uint64] // by sequence, as ring.recent
	stragglers Deque[uint64] // by order, as ring.stragglers
}

// of returns the word of an op that the ring has.
func (w *Words) of(r *Ring, seq uint64) *uint64 {
	w.follow(r)
	if seq >= r.recent.base {
		return w.at(seq)
	}
	i, _ := r.straggler(seq)
	return w.stragglers.Slot(i)
}

// at returns the word of a recent op.
func (w *Words) at(seq uint64) *uint64 {
	for w.recent.next <= seq {
		w.recent.Push(0)
	}
	return w.recent.Slot(seq)
}

// follow forgets the words of ops that the ring has forgotten.
func (w *Words) follow(r *Ring) {
	for w.recent.base < r.recent.base {
		w.at(w.recent.base) // an op without any delivery has no word yet
		w.recent.Pop()
	}
	for w.stragglers.base < r.stragglers.base {
		w.stragglers.Pop()
	}
}

// overtake puts the word of the oldest recent op among those of the stragglers, as the ring is about to do
// with the op. It does nothing on nil.
func (w *Words) overtake(r *Ring) {
	if w == nil {
		return
	}
	w.follow(r)
	w.stragglers.Push(*w.at(r.recent.base))
}

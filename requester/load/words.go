package load

// words has a word of 64 bits for each op of a ring, which follows it: bit g says that group g has the op.
// It is apart from the entries so that these stay small without groups.
type words struct {
	recent     deque[uint64] // by sequence, as ring.recent
	stragglers deque[uint64] // by order, as ring.stragglers
}

// of returns the word of an op that the ring has.
func (w *words) of(r *ring, seq uint64) *uint64 {
	w.follow(r)
	if seq >= r.recent.base {
		return w.at(seq)
	}
	i, _ := r.straggler(seq)
	return w.stragglers.slot(i)
}

// at returns the word of a recent op.
func (w *words) at(seq uint64) *uint64 {
	for w.recent.next <= seq {
		w.recent.push(0)
	}
	return w.recent.slot(seq)
}

// follow forgets the words of ops that the ring has forgotten.
func (w *words) follow(r *ring) {
	for w.recent.base < r.recent.base {
		w.at(w.recent.base) // an op without any delivery has no word yet
		w.recent.pop()
	}
	for w.stragglers.base < r.stragglers.base {
		w.stragglers.pop()
	}
}

// overtake puts the word of the oldest recent op among those of the stragglers, as the ring is about to do
// with the op. It does nothing on nil.
func (w *words) overtake(r *ring) {
	if w == nil {
		return
	}
	w.follow(r)
	w.stragglers.push(*w.at(r.recent.base))
}

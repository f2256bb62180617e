package rank

// The signs of an order.
const (
	isFaster = " < "
	notApart = " ≈ "
	differ   = " ≤ "
	notKnown = " ? "
)

// order sets Order, Except and Winner from the comparisons of every two targets.
func (r *Row) order() {
	for i, p := range r.Places {
		if i > 0 {
			r.Order += r.sign(r.Places[i-1].Target, p.Target)
		}
		r.Order += p.Target
	}
	r.except()
	r.Winner = r.winner()
}

// sign returns the sign between two targets. The first has the smaller mean.
func (r *Row) sign(first, second string) string {
	v, _ := r.find(first, second)
	switch {
	case v.Answer == Faster && v.First == first:
		return isFaster
	case v.Answer == RunsDiffer:
		return differ
	case v.Answer == NotKnown:
		return notKnown
	}
	return notApart
}

// except lists the pairs about which Order misleads: two targets with a "<" anywhere
// between them seem to be shown to differ.
func (r *Row) except() {
	for i := range r.Places {
		implied := notApart
		for j := i + 1; j < len(r.Places); j++ {
			a, b := r.Places[i].Target, r.Places[j].Target
			switch r.sign(r.Places[j-1].Target, b) {
			case isFaster:
				implied = isFaster
			case differ:
				if implied == notApart {
					implied = differ
				}
			}
			v, known := r.find(a, b)
			if known && v.Answer == Faster && v.First == b {
				r.Except = append(r.Except, b+isFaster+a) // in the repeats that both have
				continue
			}
			if got := r.sign(a, b); got != implied && j > i+1 {
				r.Except = append(r.Except, a+got+b)
			}
		}
	}
}

// winner returns the target that is shown to be faster than every other one.
func (r *Row) winner() string {
	if len(r.Places) < 2 || len(r.Unranked) > 0 {
		return "" // a target without a place might have been faster
	}
	for _, other := range r.Places[1:] {
		if r.sign(r.Places[0].Target, other.Target) != isFaster {
			return ""
		}
	}
	return r.Places[0].Target
}

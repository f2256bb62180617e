package rank

import "slices"

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
	r.Winner, r.Decides = r.winner(), max(r.Decides, 0)
}

// sign returns the sign between two targets. The first has the smaller value.
func (r *Row) sign(first, second string) string {
	i := slices.IndexFunc(r.Versus, func(v Versus) bool { return v.First == first && v.Second == second })
	if i < 0 {
		return notApart // no repeat in common
	}
	switch r.Versus[i].Answer { //nolint:exhaustive // the others are the default
	case Faster:
		return isFaster
	case RunsDiffer:
		return differ
	case NotKnown:
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

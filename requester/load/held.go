package load

// waits adds up for how long ops were held up. The sums of an overload exceed
// a time.Duration.
type waits struct{ held, byOthers float64 }

func (w *waits) add(other waits) {
	w.held += other.held
	w.byOthers += other.byOthers
}

// share returns the share of all waits that other connections caused.
func (w *waits) share() float64 {
	if w.held == 0 {
		return 0
	}
	return w.byOthers / w.held
}

package machine

import "time"

// An Observer samples this process and its machine, and meters hiccups. It
// implements measure.Observer.
type Observer struct{ *Sampler }

// NewObserver makes an observer with a [Sampler] of its own. It starts nothing.
func NewObserver() Observer { return Observer{NewSampler()} }

// ObserveHiccups is the function of that name.
func (Observer) ObserveHiccups(record func(time.Duration)) (stop func()) {
	return ObserveHiccups(record)
}

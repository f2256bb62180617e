package cli

import (
	"time"

	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
)

// observer observes this process and its machine. It implements measure.Observer.
type observer struct{ *machine.Sampler }

func newObserver() measure.Observer { return observer{machine.NewSampler()} }

// ObserveHiccups implements measure.Observer.
func (observer) ObserveHiccups(record func(time.Duration)) (stop func()) {
	return machine.ObserveHiccups(record)
}

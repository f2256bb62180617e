package cli

import (
	"time"

	"github.com/brokerbench/brokerbench/machine"
	"github.com/brokerbench/brokerbench/measure"
)

// observer observes this process and its machine. It implements measure.Observer.
type observer struct{ *machine.Sampler }

func newObserver() measure.Observer { return observer{machine.NewSampler()} }

// WatchHiccups implements measure.Observer.
func (observer) WatchHiccups(record func(time.Duration)) (stop func()) {
	return machine.WatchHiccups(record)
}

package machine_test

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
)

func ExampleSampler() {
	sampler := machine.NewSampler()
	for begin := time.Now(); time.Since(begin) < 20*time.Millisecond; { // what is measured
	}
	usage := sampler.Sample(func() {})
	fmt.Println("this process used its core:", usage.Process.CPUCores > 0)
	fmt.Println("goroutines were there:", usage.Go.Goroutines > 0)
	// Output:
	// this process used its core: true
	// goroutines were there: true
}

func ExampleObserveHiccups() {
	var longest time.Duration
	stop := machine.ObserveHiccups(func(late time.Duration) { longest = max(longest, late) })
	time.Sleep(10 * time.Millisecond) // what is measured
	stop()
	fmt.Println("no wake-up is in time to the nanosecond:", longest > 0)
	// Output:
	// no wake-up is in time to the nanosecond: true
}

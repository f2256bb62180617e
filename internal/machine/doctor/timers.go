package doctor

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/requester/load"
)

// How each waiter is tried: so many wake-ups at this distance.
const (
	wakeUps  = 300
	distance = 2 * time.Millisecond
)

// The limits.
const (
	lateMedian = 100 * time.Microsecond // of the waiter that run uses
	lateP99    = time.Millisecond
	longHiccup = 5 * time.Millisecond
)

// usedTimer is the finding of the waiter that run uses.
const usedTimer = "timer: kernel sleep and 100µs spin (used by run)"

// timers tries each waiter on a separate thread, while hiccups are observed.
func timers(ctx context.Context) (findings []Finding) {
	var longest time.Duration
	stop := machine.ObserveHiccups(func(d time.Duration) { longest = max(longest, d) })
	for _, waiter := range []struct {
		name   string
		new    load.NewWaiter
		judged bool
	}{
		{usedTimer, load.KernelWaiter(100 * time.Microsecond), true},
		{"timer: kernel sleep (used by run at high rates)", load.KernelWaiter(0), true},
		{"timer: Go's own (for comparison)", load.SleepWaiter, false},
	} {
		late := try(ctx, waiter.new)
		if len(late) == 0 {
			break
		}
		median, p99, most := late[len(late)/2], late[len(late)*99/100], late[len(late)-1]
		value := fmt.Sprintf("late by %s at the median, %s at p99, %s at most", micros(median), micros(p99), micros(most))
		finding := note(waiter.name, value)
		if waiter.judged {
			finding = judge(waiter.name, value, median <= lateMedian && p99 <= lateP99,
				"nothing else may run here: stop other work, isolate cores (isolcpus=), or use a dedicated machine")
		}
		findings = append(findings, finding)
	}
	stop()
	return append(findings, judge("hiccups", fmt.Sprintf("this process was runnable but not scheduled for %s at most", micros(longest)), longest <= longHiccup,
		"stop other work on this machine; in a virtual machine, ask for dedicated cores"))
}

// try returns how late each wake-up was, ascending; fewer if ctx ends.
func try(ctx context.Context, newWaiter load.NewWaiter) (late []time.Duration) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // for good: the waiter changes the thread's timer slack
		start := time.Now()
		waiter := newWaiter(start)
		for i := 1; i <= wakeUps && ctx.Err() == nil; i++ {
			due := time.Duration(i) * distance
			waiter.Until(due)
			late = append(late, time.Since(start)-due)
		}
	}()
	<-ended
	slices.Sort(late)
	return late
}

//go:build unix

package web

import (
	"math"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// The stall of the experiment in wrk2's README, smaller: a service at a constant rate stands still once.
const (
	rate     = 500
	window   = 4 * time.Second
	stall    = 800 * time.Millisecond
	requests = 10 // in flight at most

	settling = 50 * time.Millisecond // after SIGSTOP, in which the process may still run
	noise    = stall / 4             // of the machine, and to catch up
)

// ops collects the messages of a run.
type ops struct {
	mu  sync.Mutex
	all []load.Op
}

// Record implements [load.Recorder].
func (o *ops) Record(op load.Op) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, op)
}

// sorted returns a duration of each message, in order.
func (o *ops) sorted(of func(load.Op) time.Duration) (all []time.Duration) {
	for _, op := range o.all {
		all = append(all, of(op))
	}
	slices.Sort(all)
	return all
}

// atLeast returns how many of the durations, which are in order, are at least d.
func atLeast(all []time.Duration, d time.Duration) int {
	first, _ := slices.BinarySearch(all, d)
	return len(all) - first
}

// stalled measures the service in a process that is stopped for the time stood.
func stalled(t *testing.T) (o *ops, stood time.Duration) {
	f := factory(t, "http:", "connections=10")
	var stopping sync.WaitGroup
	stop := func(time.Time) {
		process := f.service.Process()
		stopping.Go(func() {
			time.Sleep(window / 4)
			began := time.Now()
			if err := process.Signal(syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
			time.Sleep(stall)
			stood = time.Since(began)
			if err := process.Signal(syscall.SIGCONT); err != nil {
				t.Error(err)
			}
		})
	}
	o = new(ops)
	out, err := load.Run(t.Context(), f, load.Config{Schedule: schedule.Spec{Rate: rate, Duration: window}, Size: 1 << 10}, o, load.Hooks{Started: stop})
	stopping.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(rate * window / time.Second); out.Window != (load.Ledger{Due: want, Done: want}) {
		t.Fatalf("ledger %+v", out.Window)
	}
	return o, stood
}

// A stall of S in a window of W delays S/W of the messages, by the rest of it at the time when they are due. So the
// response at the percentile q > 1 − S/W is S − (1−q)·W. A tool that counts from sent sees one slow message for each
// request in flight. The machine only makes messages slower: the lower bounds hold on any machine, and the upper
// ones in one of three attempts.
func TestAStallByTheFormula(t *testing.T) {
	for attempt := range 3 {
		o, stood := stalled(t)
		response, service := o.sorted(load.Op.Response), o.sorted(load.Op.Service)
		quiet := atLeast(service, stall/2) <= requests
		for _, q := range []float64{0.85, 0.9, 0.95, 0.99, 0.999, 1} {
			formula := stood - time.Duration((1-q)*float64(window))
			got := response[int(math.Ceil(q*float64(len(response))))-1]
			if least := formula - settling - time.Second/rate; got < least {
				t.Errorf("response at %v is %v, want at least %v", q, got, least)
			}
			quiet = quiet && got <= formula+noise
			t.Logf("stall of %v: response at %v is %v, by the formula %v", stood, q, got, formula)
		}
		if n := atLeast(service, stood-settling-noise); n < requests {
			t.Errorf("%d messages took as long as the stall from when they were sent, want %d", n, requests)
		}
		if p80, p99 := response[len(response)*80/100], service[len(service)*99/100]; quiet && p80 < noise && p99 < noise {
			return
		}
		t.Logf("attempt %d: this machine is busy", attempt)
	}
	t.Skip("responses are never shorter than the formula; how much longer cannot be tested beside other work")
}

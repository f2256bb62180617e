package measure

import "time"

// The limits of all rules, and of [Blame]. Each stands here once, with its reason.
const (
	// Below this part of the rate that was due, the target was behind at the end.
	rateReached = 0.99
	// Below this part, in an overload, percentiles say more about the length of the
	// run than about the target.
	rateOverload = 0.95
	// From this part of the maximum on, the median says that waits grew all the time.
	// In a steady overload the median is half of the maximum; after a pause at the end
	// of the window it is far less.
	growth = 0.25
	// Before this much of the window, a few messages in flight are a per cent of all,
	// so the rate is not judged yet.
	settled = 3 * time.Second

	// From this part of a response on, it is the generator's lag rather than the target.
	lagShare = 0.5
	// A reply that took no more than this part of the lag did not queue at the target.
	answeredSoon = 0.1

	// From this part of a response on, it is a TCP echo rather than the broker.
	floorShare = 0.75

	// From this part of a response on, a hiccup of this process explains it.
	hiccupShare = 0.5
	// From this part of the worst seconds on, hiccups explain the tail.
	hiccupSeconds = 0.5
	// From this percentile on, what the hypervisor or the cgroup took may explain a
	// value: a per cent of the time does not move a lower one.
	tailPercentile = 99.9

	// From this part of the cores on, this process may be the limit. To judge the
	// process they are the machine's cores; to judge its senders, one core for each.
	processBusy = 0.8
	// From this part of the machine's cores on, messages wait for a core.
	machineBusy = 0.9
	// From this part of the machine's cores on, what the hypervisor took matters.
	coresStolen = 0.01
)

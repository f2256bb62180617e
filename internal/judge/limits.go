package judge

import "time"

// The limits of all rules, and of [Blame]. Each stands here once, with its reason.
// Shares are parts of 1.
const (
	// A target that reached a smaller share of the rate was behind at the end.
	rateReached = 0.99
	// With a smaller share, in an overload, the percentiles say more about the length
	// of the run than about the target.
	rateOverload = 0.95
	// Waits grew all the time if the median is at least this share of the maximum. In
	// a steady overload it is half. After a pause at the end of the window it is far
	// less.
	growth = 0.25

	// If the tool itself made this share of a percentile, the percentile is marked, or the share is shown.
	shareShown = 0.1
	// Lag of this share of a response is the larger part of it: the generator's, not
	// the target's. The same goes for the time for which the sender was held up.
	largerPart = 0.5
	// If this share of the time for which messages were held up is due to other
	// connections than their own, independent callers would have waited less.
	heldByOthers = 0.5
	// A message that was answered within this share of the time for which it was held
	// up did not queue at the target.
	answeredSoon = 0.1

	// With a floor of this share of a response, little of it is the broker's.
	floorShare = 0.75

	// A hiccup of this share of a response explains it.
	hiccupShare = 0.5
	// The tail is this machine's if the share of seconds with such a hiccup is by so
	// much higher among the worst than among the others: half of the worst are then not
	// explained by what happens anyway. With fewer of the worst than worstSeconds, or
	// if chance makes such a difference more often than hiccupChance, nothing is claimed.
	hiccupSeconds = 0.5
	worstSeconds  = 10
	hiccupChance  = 0.01
	// Time that the hypervisor or the cgroup took may explain percentiles from this one on.
	// A per cent of the time does not move a lower one.
	tailPercentile = 99.9

	// A process that used this share of its cores may be the limit: of the cores that
	// it may use or, for the senders alone, of a core each.
	processBusy = 0.8
	// A connection of an echo that handles messages for this share of the time is behind at
	// times: they wait for it.
	echoBusy = 0.8
	// If this share of the CPUs is used, messages wait for a core.
	machineBusy = 0.9
	// The hypervisor took so much that it matters, as a share of the CPU time that was
	// wanted: cores that idle lose nothing, and do not make it less.
	shareStolen = 0.01
	// Less than this is a few ticks of the kernel's counter, 10 ms each.
	leastStolen = 50 * time.Millisecond

	// Steps of the clock of more than this share of a response are seen in it: each of
	// its two time stamps is wrong by up to one.
	clockShare = 0.05
)

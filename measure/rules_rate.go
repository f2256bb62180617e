package measure

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

// rate: messages were done more slowly than they were due, so response times
// depend on the length of the run.
func rate(c *results.Cell) (results.Verdict, string) {
	if keepsUp(c.ReachedPerS, c.OfferedPerS) {
		return "", ""
	}
	part := c.ReachedPerS / c.OfferedPerS
	severity, whose := results.Suspect, "the target was behind at the end"
	nothingCame := c.Response.MaxNS == 0
	if part < rateOverload && (waitsGrew(c.Response) || nothingCame) {
		severity, whose = results.Invalid, "the target does not carry this rate"
	}
	if f := c.Floor; f != nil && !keepsUp(f.Echo.ReachedPerS, c.OfferedPerS) {
		whose = fmt.Sprintf("but %s: it is the limit", reachedOnly(f.Echo))
	}
	return severity, fmt.Sprintf("%s/s were due and %s/s done (%.1f %%): %s, and response times depend on how long the run was",
		words.Rate(c.OfferedPerS), words.Rate(c.ReachedPerS), 100*part, whose)
}

// keepsUp tells whether a rate was reached.
func keepsUp(reached, offered float64) bool { return reached >= rateReached*offered }

// fellBehind tells whether a cell fell behind its rate all the time. One that is
// behind because it stood still at the end of the window did not.
func fellBehind(c *results.Cell) bool {
	return !keepsUp(c.ReachedPerS, c.OfferedPerS) && waitsGrew(c.Response)
}

// waitsGrew tells whether response times grew all the time, as in an overload.
func waitsGrew(response results.Distribution) bool {
	median, known := value(response, 50)
	return known && float64(median) >= growth*float64(response.MaxNS)
}

// late: the generator sent so late that its lag is a large part of what it
// measures.
func late(c *results.Cell) (results.Verdict, string) {
	median, known := value(c.Response, 50)
	if !known {
		return "", ""
	}
	if order, lag50 := lagOrder(c, 50); order > 0 {
		return results.Suspect, fmt.Sprintf(
			"the generator was late: lag p50 is %s ms of a response p50 of %s ms (use more --senders, a lower rate, or another machine for the broker)",
			words.Millis(lag50), words.Millis(median))
	}
	if lag99, _ := value(c.Lag, 99); lag99 > median {
		return results.Suspect, fmt.Sprintf(
			"the generator was late: lag p99 is %s ms, above the response p50 of %s ms, so response times from p99 on contain it",
			words.Millis(lag99), words.Millis(median))
	}
	return "", ""
}

// lagOrder compares the generator's lag at a percentile with lagShare of the
// response there: order is 1 if the lag is more, 0 if it is equal, and -1 if it is
// less or one of the two is unknown.
func lagOrder(c *results.Cell, percentile float64) (order int, lag time.Duration) {
	lag, known := value(c.Lag, percentile)
	response, all := value(c.Response, percentile)
	if !known || !all {
		return -1, lag
	}
	return cmp.Compare(float64(lag), lagShare*float64(response)), lag
}

// nearFloor: most of the result is what the tool and the kernel take without a
// broker.
func nearFloor(c *results.Cell) (results.Verdict, string) {
	if c.Floor == nil {
		return "", ""
	}
	for _, p := range results.Headline() {
		result, known := value(c.Response, p)
		row, _ := c.Floor.Echo.Response.At(p)
		if !known || !row.Trusted {
			continue
		}
		if floor, _ := row.Value(); float64(floor) >= floorShare*float64(result) {
			return results.Suspect, fmt.Sprintf(
				"p%v is %s ms, and a TCP echo in place of the broker takes %s ms: most of it is the tool and the kernel",
				p, words.Millis(result), words.Millis(floor))
		}
	}
	return "", ""
}

// reachedOnly says how far this client comes without a broker.
func reachedOnly(echo results.FloorRun) string {
	return fmt.Sprintf("this client reached only %s/s against a TCP echo", words.Rate(echo.ReachedPerS))
}

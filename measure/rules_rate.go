package measure

import (
	"fmt"

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
	if f := c.Floor; f != nil && !keepsUp(f.Echo.ReachedPerS, c.OfferedPerS) && waitsGrew(f.Echo.Response) {
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

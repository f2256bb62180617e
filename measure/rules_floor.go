package measure

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

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
	return fmt.Sprintf("this client reached only %.0f/s against a TCP echo", echo.ReachedPerS)
}

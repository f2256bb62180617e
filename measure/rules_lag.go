package measure

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
)

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

package config

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// burstText is what [schedule.Burst] makes of 2 to 1,000,000 messages.
const burstText = `^burst:([2-9]|[1-9][0-9]{1,5}|1000000)$`

func arrivalsSchema() object {
	return object{"anyOf": []any{
		words(string(schedule.Constant), string(schedule.Poisson)),
		object{"type": "string", "pattern": burstText},
	}}
}

func parseArrivals(text string) (schedule.Arrivals, error) {
	a, err := schedule.ParseArrivals(text)
	if err != nil {
		return "", fmt.Errorf("%w%s", err, suggest.Hint(text, similarArrivals(text)))
	}
	return a, nil
}

// similarArrivals returns the arrivals that the user may have meant: the words, and
// a burst of the number at the end of the text.
func similarArrivals(text string) []string {
	similar := []string{string(schedule.Constant), string(schedule.Poisson)}
	number := text[len(strings.TrimRight(text, "0123456789")):]
	if a, err := schedule.ParseArrivals("burst:" + number); err == nil {
		similar = append(similar, string(a))
	}
	return similar
}

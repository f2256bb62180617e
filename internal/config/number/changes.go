package number

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// changing finds what is between the brackets of a ramp or steps, or of the trace that a file was.
var changing = regexp.MustCompile(`^(ramp|step|trace) ?\(([^()]*)\)$`)

// Changes reads a rate that changes; ok is false if the text is none.
func Changes(text string) (c schedule.Changes, ok bool, err error) {
	parts := changing.FindStringSubmatch(text)
	switch {
	case parts == nil:
		return "", false, nil
	case parts[1] == "ramp":
		c, err = ramp(parts[2])
	case parts[1] == "step":
		c, err = steps(parts[2])
	default:
		c = schedule.Changes(text)
		err = c.Validate()
	}
	return c, true, err
}

func ramp(text string) (schedule.Changes, error) {
	rates, long, ok := strings.Cut(text, ",")
	from, to, two := strings.Cut(rates, "..")
	if !ok || !two {
		return "", errors.New("want two rates and a time, such as ramp(1k..20k, 60s)")
	}
	leg, err := legOf(from, to, long)
	if err != nil {
		return "", err
	}
	return schedule.Ramp(leg.From, leg.To, leg.For)
}

func steps(text string) (schedule.Changes, error) {
	var legs []schedule.Leg
	for step := range strings.SplitSeq(text, ",") {
		rate, long, ok := strings.Cut(step, "@")
		if !ok {
			return "", errors.New("want rates and times, such as step(1k@10s, 5k@20s)")
		}
		leg, err := legOf(rate, rate, long)
		if err != nil {
			return "", err
		}
		legs = append(legs, leg)
	}
	return schedule.Steps(legs)
}

func legOf(from, to, long string) (leg schedule.Leg, err error) {
	var errs [3]error
	leg.From, errs[0] = Rate(strings.TrimSpace(from))
	leg.To, errs[1] = Rate(strings.TrimSpace(to))
	leg.For, errs[2] = Duration(strings.TrimSpace(long))
	for _, err := range errs {
		if err != nil {
			return leg, err
		}
	}
	return leg, nil
}

// maxDuration keeps sums of durations far from overflowing.
const maxDuration = 365 * 24 * time.Hour

// Duration reads a time with its unit. The error does not repeat the text.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, errors.New("want a time with its unit, such as 30s or 1m30s")
	}
	if d > maxDuration {
		return 0, fmt.Errorf("above %v", maxDuration)
	}
	return d, nil
}

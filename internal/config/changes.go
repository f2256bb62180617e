package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/config/number"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// mostTrace is how large the file of a trace may be.
const mostTrace = 16 << 20

// A rate that changes, as users write it.
const (
	changesText = `^(ramp ?\([^()@]+\.\.[^()@]+,[^()@]+\)|step ?\([^()]+@[^()]+\)|trace: ?.+)$`
	tracePrefix = "trace:"
)

// changing finds what is between the brackets of a ramp or steps, or of the trace that a file was.
var changing = regexp.MustCompile(`^(ramp|step|trace) ?\(([^()]*)\)$`)

// parseChanges reads a rate that changes; ok is false if the text is none.
func parseChanges(text string) (c schedule.Changes, ok bool, err error) {
	parts := changing.FindStringSubmatch(text)
	switch {
	case parts == nil:
		return "", false, nil
	case parts[1] == "ramp":
		c, err = parseRamp(parts[2])
	case parts[1] == "step":
		c, err = parseSteps(parts[2])
	default:
		c = schedule.Changes(text)
		err = c.Validate()
	}
	return c, true, err
}

func parseRamp(text string) (schedule.Changes, error) {
	rates, long, ok := strings.Cut(text, ",")
	from, to, two := strings.Cut(rates, "..")
	if !ok || !two {
		return "", errors.New("want two rates and a time, such as ramp(1k..20k, 60s)")
	}
	leg, err := parseLeg(from, to, long)
	if err != nil {
		return "", err
	}
	return schedule.Ramp(leg.From, leg.To, leg.For)
}

func parseSteps(text string) (schedule.Changes, error) {
	var legs []schedule.Leg
	for step := range strings.SplitSeq(text, ",") {
		rate, long, ok := strings.Cut(step, "@")
		if !ok {
			return "", errors.New("want rates and times, such as step(1k@10s, 5k@20s)")
		}
		leg, err := parseLeg(rate, rate, long)
		if err != nil {
			return "", err
		}
		legs = append(legs, leg)
	}
	return schedule.Steps(legs)
}

func parseLeg(from, to, long string) (leg schedule.Leg, err error) {
	var errs [3]error
	leg.From, errs[0] = number.Rate(strings.TrimSpace(from))
	leg.To, errs[1] = number.Rate(strings.TrimSpace(to))
	leg.For, errs[2] = parseDuration(strings.TrimSpace(long))
	for _, err := range errs {
		if err != nil {
			return leg, err
		}
	}
	return leg, nil
}

// traces reads the files of rates that are traces. Their times go into the settings, and the rates
// then name them.
func (r *reader) traces(k Key, values []value) (read []value) {
	for _, v := range values {
		path, ok := strings.CutPrefix(v.text, tracePrefix)
		if k.Name == "rate" && ok {
			c, err := r.trace(strings.TrimSpace(path))
			if !r.check(v.at, k.wrong(v.text, err)) {
				continue
			}
			v.text = string(c)
		}
		read = append(read, v)
	}
	return read
}

func (r *reader) trace(path string) (schedule.Changes, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > mostTrace {
		return "", fmt.Errorf("%s has %d bytes: a trace has %d at most", path, info.Size(), mostTrace)
	}
	t, c, err := plan.ReadTrace(path, io.LimitReader(f, mostTrace))
	if err == nil && r.draft.Settings.MeanRate(c) == 0 {
		r.draft.Settings.Traces = append(r.draft.Settings.Traces, t)
	}
	return c, err
}

// changed completes shapes whose rate changes with their mean rates, and the settings with the
// duration that follows. A duration that was given and contradicts it is a mistake.
func (r *reader) changed(s *plan.Settings, shapes []plan.Shape) {
	given, at := r.over.Flags["duration"], place{label: "--duration"}
	if len(given) == 0 {
		given, at = r.over.Env["duration"], place{label: variableOf("duration")}
	}
	if len(given) == 0 {
		at = r.durationAt
	}
	all := time.Duration(-1) // the duration that all shapes have
	for _, shape := range shapes {
		long := shape.Changes.Long()
		if long > 0 {
			r.check(place{}, plan.CheckChanges(shape, *s))
		}
		if long > 0 && at != (place{}) && s.Duration != long {
			r.add(at, "duration %v: the rate %s lasts %v: leave the duration out", s.Duration, shape.Changes, long)
			return
		}
		if all < 0 {
			all = long
		} else if all != long {
			all = 0
		}
	}
	if all > 0 {
		s.Duration = all
	}
}

package config

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

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

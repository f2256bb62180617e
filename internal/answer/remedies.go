package answer

import (
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// remedies returns the flags of all causes together, or the command of the first cause that has a remedy. A
// lower rate than the user asked for answers another question: left reports that it is left to the user.
func (a *Answer) remedies(run results.Run) (flags, command []string, left bool) {
	for _, c := range a.Belief.Causes {
		switch {
		case c.slower() && rateAsked(run):
			left = true
		case flags == nil && c.command != nil:
			return nil, c.command, left
		default:
			flags = together(flags, c.flags)
		}
	}
	return flags, nil, left
}

// rateAsked reports whether the rates of a run are those of the user: from a flag or a plan file, or several.
func rateAsked(run results.Run) bool {
	for _, s := range run.Plan.Shapes {
		if s.Rate != run.Plan.Shapes[0].Rate {
			return true
		}
	}
	planFile := func(arg string) bool { return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(arg)) }
	return len(without(run.Command, "-r", "--rate")) < len(run.Command) || slices.ContainsFunc(run.Command, planFile)
}

// took returns how long a repeat of the plan takes with flags.
func (a *Answer) took(run results.Run, flags []string) time.Duration {
	i := slices.Index(flags, "-d")
	if i < 0 {
		return a.repeat
	}
	window, _ := time.ParseDuration(flags[i+1]) // of longer
	return a.repeat + (window-run.Plan.Settings.Duration)*time.Duration(len(run.Plan.Shapes)*len(run.Plan.Targets))
}

// together returns flags that remove the causes of both: of a flag in both the larger value, or the lower
// rate.
func together(flags, more []string) []string {
	flags = slices.Clone(flags)
	for i := 0; i < len(more); i += 2 {
		at := slices.Index(flags, more[i])
		switch {
		case at < 0:
			flags = append(flags, more[i], more[i+1])
		case (amount(more[i+1]) > amount(flags[at+1])) != (more[i] == "-r"):
			flags[at+1] = more[i+1]
		}
	}
	return flags
}

// amount returns the number that the value of a flag stands for, of a duration in seconds.
func amount(value string) float64 {
	if d, err := time.ParseDuration(value); err == nil {
		return d.Seconds()
	}
	n, _ := strconv.ParseFloat(value, 64) // 0 for a rate per minute: it is the lower one
	return n
}

package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// enoughEvents is how many events above a percentile a longer run aims at, and enoughRepeats how
// many repeats.
const (
	enoughEvents  = 10
	enoughRepeats = 5
)

// remedy returns flags that remove a cause from the same run, or else a command that helps.
func (a *Answer) remedy(name string, alike []limited, cells []*results.Cell) (flags, command []string) {
	switch name {
	case "few-events":
		return fewEventsRemedy(alike), nil
	case "few-messages":
		last := slices.MaxFunc(alike, func(a, b limited) int { return int(1000 * (a.Percentile - b.Percentile)) })
		return longer(results.NeededWindow(last.Percentile, float64(last.shape.Shape.Rate)), len(last.target.Cells)), nil
	case string(results.CodeStrays):
		return nil, adapterTest(alike[0], cells)
	case string(results.CodeRate), string(results.CodeMissing):
		if command := adapterTest(alike[0], cells); command != nil && fails(alike[0], cells) {
			return nil, command
		}
		if rate := a.carried(alike[0], cells); rate != "" {
			return []string{"-r", rate}, nil
		}
	case "tool":
		return a.toolRemedy(alike, cells)
	case string(results.CodeWarmup):
		if warm := warmUp(cells); warm > 0 {
			return []string{"--warmup", warm.String()}, nil
		}
	case "machine", string(results.CodeFloor):
		return nil, []string{"brokerbench", "doctor"}
	}
	return nil, nil
}

// fails reports whether most of the missing messages failed, and no fault explains them: a lower rate does not mend that.
func fails(l limited, cells []*results.Cell) bool {
	return 2*l.target.Ledger.Failed > l.target.Ledger.Missing() && !stopped(*l.target, cells)
}

// adapterTest returns the command that tests the adapter of a target; nil for other targets.
func adapterTest(l limited, cells []*results.Cell) []string {
	i := slices.IndexFunc(cells, func(c *results.Cell) bool { return slices.Contains(l.target.Cells, c.ID) })
	if i < 0 {
		return nil
	}
	adapter, is := strings.CutPrefix(cells[i].Plan.Target.URL, "exec:")
	if at := strings.LastIndex(adapter, " ?"); at >= 0 { // its options
		adapter = adapter[:at]
	}
	if !is || strings.ContainsAny(adapter, `'"`) { // quotes are not for a shell
		return nil
	}
	return append([]string{"brokerbench", "adapter", "test"}, strings.Fields(adapter)...)
}

// fixed returns flags without a duration and a rate if the rate of a shape changes: it has both.
func (a *Answer) fixed(flags []string) []string {
	if slices.ContainsFunc(a.Shapes, func(s Shape) bool { return s.Shape.Changes != "" }) {
		return without(flags, "-d", "-r")
	}
	return flags
}

// fewEventsRemedy estimates by the events per second how long it takes until enough are above
// the lowest of the limited percentiles. No repeat is shorter than now.
func fewEventsRemedy(alike []limited) []string {
	lowest, needs, repeats, each := percentilesOf(alike)[0], time.Duration(0), 1, time.Duration(0)
	for _, l := range alike {
		if window := time.Duration(l.target.WindowNS); l.Percentile == lowest {
			needs = max(needs, time.Duration(float64(window)*max(enoughEvents/max(l.Events, 0.5), 2)))
			repeats, each = max(repeats, len(l.target.Cells)), max(each, window/time.Duration(max(len(l.target.Cells), 1)))
		}
	}
	repeats = max(repeats, enoughRepeats)
	return append(longer(max(needs, each*time.Duration(repeats)), repeats), "--repeat", strconv.Itoa(repeats))
}

// warmUp returns a warm-up that is twice as long as the longest time that a target took to get warm, in
// steps of 5 s.
func warmUp(cells []*results.Cell) (longest time.Duration) {
	const step = 5 * time.Second
	for _, c := range cells {
		if c.Steady != nil && c.Steady.ColdNS > 0 {
			longest = max(longest, c.Plan.Settings.Warmup+time.Duration(c.Steady.ColdNS))
		}
	}
	return (2*longest + step - 1).Truncate(step)
}

// longer returns the flag for a window that takes so long with all repeats together.
func longer(all time.Duration, repeats int) []string {
	each := all / time.Duration(max(repeats, 1))
	for _, seconds := range []float64{10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600} {
		if seconds >= each.Seconds() {
			return []string{"-d", fmt.Sprintf("%.0fs", seconds)}
		}
	}
	return []string{"-d", strconv.FormatFloat(math.Ceil(each.Hours()), 'f', -1, 64) + "h"}
}

// rounded writes a rate with two digits.
func rounded(rate float64) string {
	if rate < 1 {
		return "1"
	}
	scale := math.Pow(10, math.Max(math.Floor(math.Log10(rate))-1, 0))
	return strconv.Itoa(int(math.Floor(rate/scale) * scale))
}

// next returns the most sensible next command: that of the first cause, or the flags of all causes and the
// repeats that decide the ranking, or a command that asks the next question.
func (a *Answer) next(run results.Run) []string {
	if len(run.Command) < 2 || len(a.Shapes) == 0 || !slices.Contains([]string{"run", "fault"}, run.Command[1]) {
		return nil
	}
	flags, command, left := a.remedies(run)
	if command != nil {
		return command
	}
	if repeats := a.decides(); repeats > 0 && a.took(run, flags)*time.Duration(repeats) <= mostRun {
		flags = together(flags, []string{"--repeat", strconv.Itoa(repeats)})
	}
	if len(run.Plan.Settings.Faults) > 0 && run.Plan.Repeat < enoughRepeats {
		flags = together(flags, []string{"--repeat", strconv.Itoa(enoughRepeats)})
	}
	switch {
	case flags != nil:
		return With(run.Command, flags...)
	case left:
		return nil
	case len(run.Plan.Targets) > 1:
		return []string{run.Command[0], "compare"}
	case run.Command[1] == "run":
		return a.search(run)
	}
	return nil
}

// search returns a command that searches for the highest rate with at most twice the latency.
func (a *Answer) search(run results.Run) []string {
	s := a.Shapes[0]
	n, _ := s.Targets[0].At(s.By)
	if n.NS == nil || s.By == 100 || s.Shape.Changes != "" || s.Shape.Backlog != (plan.Backlog{}) {
		return nil
	}
	limit, digits := time.Duration(*n.NS)*2, time.Duration(1)
	for limit >= 100*digits {
		digits *= 10
	}
	command := slices.Clone(run.Command)
	command[1] = "search"
	return With(without(command, "-r", "--rate", "--repeat", "--percentiles", "--slo-observed"), "--slo", fmt.Sprintf("%s<%v", words.Percentile(s.By), limit.Round(digits)))
}

// decides returns the most repeats that a ranking takes which is undecided; 0 if none is.
func (a *Answer) decides() (repeats int) {
	for _, s := range a.Shapes {
		for _, r := range s.rows {
			repeats = max(repeats, s.decides(r))
		}
	}
	return repeats
}

// With returns a command line whose flags have other values.
func With(command []string, flags ...string) []string {
	for i := 0; i < len(flags); i += 2 {
		names := []string{flags[i]}
		switch flags[i] {
		case "-d":
			names = append(names, "--duration")
		case "-r":
			names = append(names, "--rate")
		case "--slo": // further ones are added
			names = nil
		}
		command = without(command, names...)
	}
	return append(command, flags...)
}

// without returns a command line without the flags, which have values.
func without(command []string, names ...string) (rest []string) {
	for i := 0; i < len(command); i++ {
		name, _, joined := strings.Cut(command[i], "=")
		short := len(command[i]) > 2 && command[i][1] != '-' && slices.Contains(names, command[i][:2]) // -d10s
		switch {
		case short || joined && slices.Contains(names, name):
		case slices.Contains(names, command[i]):
			i++ // its value
		default:
			rest = append(rest, command[i])
		}
	}
	return rest
}

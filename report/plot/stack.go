package plot

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/report/palette"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A Stack is the probes of a cell, or of its repeats together.
type Stack struct {
	Name    string
	Target  string
	Verdict results.Verdict // the worst of theirs
	Probes  []Probe         // those that the cell has, in the order of results.Probes

	cells []*results.Cell
}

// A Probe is one distribution of a stack. All count from due.
type Probe struct {
	results.Probe
	results.Distribution

	index int // in results.Probes
}

// NewStack reads the probes of a cell, or of several that are repeats of each other: their
// logs are added up.
func NewStack(repeats []source.Source, name string) (Stack, error) {
	s := Stack{Name: name, Target: targetOf(repeats[0]), Verdict: worst(repeats)}
	for _, r := range repeats {
		if r.Cell == nil {
			return s, fmt.Errorf("%s: %w: a file has no probes (want the folder of a run or of cells)", r.Path, ErrInput)
		}
		s.cells = append(s.cells, r.Cell)
	}
	logs, err := logsOf(repeats)
	if err != nil {
		return s, err
	}
	for i, p := range results.Probes() {
		d, ok, err := s.distribution(p, logs)
		if err != nil {
			return s, fmt.Errorf("%s: %w", repeats[0].LogPath(), err)
		}
		if ok {
			s.Probes = append(s.Probes, Probe{p, d, i})
		}
	}
	return s, nil
}

// logsOf reads the logs of repeats; nil of a single cell, which has its distributions.
func logsOf(repeats []source.Source) (logs []source.Sums, err error) {
	if len(repeats) == 1 {
		return nil, nil
	}
	for _, r := range repeats {
		sums, err := r.Sums()
		if err != nil {
			return nil, err
		}
		logs = append(logs, sums)
	}
	return logs, nil
}

// distribution returns that of a probe: of a cell its own, of repeats the sum of theirs. It is
// not ok if any of them does not have it.
func (s Stack) distribution(p results.Probe, logs []source.Sums) (d results.Distribution, ok bool, err error) {
	if len(s.cells) == 1 {
		d, ok = s.cells[0].Probe(p)
		return d, ok, nil
	}
	all, missing := source.Nothing(), int64(0)
	for i, c := range s.cells {
		if d, ok = c.Probe(p); !ok {
			return d, false, nil
		}
		missing += d.Missing
		total, _, err := logs[i].Choose(p.Tag)
		if err == nil { // else not a single message came so far
			err = all.Add(total.Histogram())
		}
		if err != nil && !errors.Is(err, source.ErrTag) {
			return d, false, err
		}
	}
	return results.NewDistribution(all.Histogram(), missing), true, nil
}

// usable tells whether a percentile of a probe may be used: of repeats, if that of each may.
func (s Stack) usable(p Probe, percentile float64) bool {
	return !slices.ContainsFunc(s.cells, func(c *results.Cell) bool {
		d, _ := c.Probe(p.Probe)
		row, _ := d.At(percentile)
		return !row.Usable()
	})
}

// end returns where the bar of a probe ends. A percentile that falls on missing messages is not
// known: of it the longest value is where the bar is at least.
func (p Probe) end(percentile float64) (at time.Duration, known bool) {
	row, _ := p.At(percentile)
	if v, known := row.Value(); known {
		return v, true
	}
	return time.Duration(p.MaxNS), false
}

// Stacks draws a bar for each cell, in which each probe ends at a percentile of its own
// distribution: percentiles of parts do not add up to that of the whole. A dot is hollow where
// that percentile is of limited use; a line with a cross is for what is unknown.
func Stacks(stacks []Stack, percentile float64, subtitle string, o Options) (*Chart, error) {
	x, err := stackAxis(stacks, percentile, o.Axis)
	if err != nil {
		return nil, err
	}
	body := panel{x: x, y: axis{max: float64(len(stacks))}, height: max(stackRow*len(stacks), leastPanel)}
	targets, k := palette.NewTargets(o.Targets), inksOf(o.Theme)
	hues := make(map[int]bool)
	for i, s := range stacks {
		y := float64(len(stacks)-i) - 0.5
		body.y.ticks = append(body.y.ticks, tick{y, shortened(s.Name)})
		hue := targets.Hue(s.Target)
		hues[hue] = true
		body.marks = append(body.marks, s.marks(x, y, percentile, k.hue(hue))...)
	}
	name := words.Percentile(percentile)
	p := picture{
		title: "Probes of each cell at " + name, subtitle: subtitle, panels: []panel{body},
		xTitle: fmt.Sprintf("From due to %s of each probe (ms)", name),
		names:  stackNames(stacks, k, hues), keys: stackKeys(stacks, percentile, x),
	}
	return newChart(p, o)
}

// The height of a bar's row in pixels, and how much of it the bar takes.
const (
	stackRow = 26
	barShare = 0.58
)

// longestName is how many letters of a name stand beside its bar.
const longestName = 44

func shortened(name string) string {
	if runes := []rune(name); len(runes) > longestName {
		return string(runes[:longestName-1]) + "…"
	}
	return name
}

// stackAxis returns an axis that holds all ends. It is from 0, for lengths to be compared,
// unless the bars themselves are far apart.
func stackAxis(stacks []Stack, percentile float64, times Axis) (axis, error) {
	all, bars := newExtent(), newExtent()
	for _, s := range stacks {
		longest := time.Duration(0)
		for _, p := range s.Probes {
			if p.Count == 0 {
				continue
			}
			at, _ := p.end(percentile)
			all.add(at)
			longest = max(longest, at)
		}
		bars.add(longest)
	}
	if times == Auto {
		times = Linear
		if bars.high/AutoFactor > bars.low {
			times = Log
		}
	}
	return all.axis(times)
}

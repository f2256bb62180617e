package analysis

import (
	"errors"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// A drawer draws a chart of sources. It also returns notes, which are printed on
// stderr.
type drawer func(o plotOptions, sources []source.Source) (chart *plot.Chart, notes []string, err error)

// drawCurves draws a line for each group of repeats and tag.
func drawCurves(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	var curves []input.Curve
	groups := input.Repeats(sources)
	if slices.Contains(o.tags, source.Corrected) { // it is in no log, so repeats cannot be added up
		groups = slices.Collect(slices.Chunk(sources, 1))
	}
	subtitle, notes, err := o.each(groups, func(repeats []source.Source, tag, name string) error {
		c, err := input.NewCurve(repeats, tag, name)
		if err == nil {
			curves = append(curves, c)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Percentiles(curves, subtitle, o.Options)
	return chart, notes, err
}

// drawTimelines draws a panel for each source and tag.
func drawTimelines(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	var all []input.Series
	subtitle, notes, err := o.each(slices.Collect(slices.Chunk(sources, 1)), func(alone []source.Source, tag, name string) error {
		s, err := input.NewSeries(alone[0], tag, name)
		if err == nil {
			all = append(all, s)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Timeline(all, subtitle, o.Options)
	return chart, notes, err
}

func drawRate(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	ladders, subtitle, notes, err := input.Ladders(sources)
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Rate(ladders, subtitle, o.Options)
	return chart, notes, err
}

// drawStacks draws a bar for each group of repeats.
func drawStacks(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	groups := input.Repeats(sources)
	names, common := input.Names(groups)
	stacks := make([]input.Stack, len(groups))
	for i, repeats := range groups {
		var err error
		if stacks[i], err = input.NewStack(repeats, names[i]); err != nil {
			return nil, nil, err
		}
	}
	chart, err := plot.Stacks(stacks, percentileOf(o.percentile), common, o.Options)
	return chart, nil, err
}

// drawNodes draws panels for each cell. It leaves out cells without known nodes if other
// cells have them, and names the cells that it left out in a note.
func drawNodes(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	names, common := source.Names(sources)
	var all []input.Nodes
	var unknown []string
	var why error
	for i, s := range sources {
		n, err := input.NewNodes(s, names[i])
		switch {
		case errors.Is(err, input.ErrNoNodes):
			unknown, why = append(unknown, names[i]), err
		case err != nil:
			return nil, nil, err
		default:
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return nil, nil, why
	}
	var notes []string
	if len(unknown) > 0 {
		notes = []string{words.Are(unknown, mostLeftOut, "cell") + " left out, as brokerbench did not know the nodes"}
	}
	chart, err := plot.NodesOverTime(all, common, o.Options)
	return chart, notes, err
}

// percentileWords are the percentiles that results have, as people write them.
func percentileWords() (list []string) {
	for _, p := range results.Percentiles() {
		list = append(list, words.Percentile(p))
	}
	return list
}

// percentileOf returns the percentile of one of percentileWords.
func percentileOf(word string) float64 {
	return results.Percentiles()[slices.Index(percentileWords(), word)]
}

// each calls add for every group of sources and tag, with a name that sets it apart
// from the others, and returns what all names have in common. A table has no tags: it is
// added once. Groups that lack a tag are left out if others have it, and notes name them.
func (o plotOptions) each(groups [][]source.Source, add func(group []source.Source, tag, name string) error) (common string, notes []string, err error) {
	names, common := input.Names(groups)
	lack := lacking{by: make(map[string][]string)}
	for _, group := range groups {
		if group[0].Table == nil {
			lack.of++
		}
	}
	for i, group := range groups {
		tags := o.tags
		if len(tags) == 0 || group[0].Table != nil {
			tags = []string{""}
		}
		for _, tag := range tags {
			name := names[i]
			if len(tags) > 1 {
				name += " " + tag
			}
			if err := lack.unless(add(group, tag, name), tag, names[i]); err != nil {
				return "", nil, err
			}
		}
	}
	return common, lack.notes(o.tags), nil
}

// lacking are those that a chart leaves out because they do not have a tag.
type lacking struct {
	by map[string][]string // their names, by tag
	of int                 // of so many that have tags
}

// unless leaves out a cell whose error says that it does not have the tag. If no cell has the
// tag, that is a mistake: unless returns the error, as it does other errors.
func (l *lacking) unless(err error, tag, name string) error {
	if !errors.Is(err, source.ErrTag) || len(l.by[tag]) >= l.of-1 {
		return err
	}
	l.by[tag] = append(l.by[tag], name)
	return nil
}

// notes says who is left out.
func (l *lacking) notes(tags []string) (notes []string) {
	for _, tag := range tags {
		if names := l.by[tag]; len(names) > 0 {
			notes = append(notes, fmt.Sprintf("%s left out, without values of %s", words.Are(names, mostLeftOut, "line"), tag))
		}
	}
	return notes
}

// mostLeftOut is how many are named that a chart leaves out.
const mostLeftOut = 4

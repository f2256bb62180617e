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

func drawCurves(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	groups := input.Repeats(sources)
	if slices.Contains(o.tags, source.Corrected) { // it is in no log, so repeats cannot be added up
		groups = slices.Collect(slices.Chunk(sources, 1))
	}
	curves, subtitle, notes, err := ofTags(o.tags, groups, input.NewCurve)
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Percentiles(curves, subtitle, o.Options)
	return chart, notes, err
}

func drawTimelines(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	read := func(alone []source.Source, tag, name string) (input.Series, error) {
		return input.NewSeries(alone[0], tag, name)
	}
	all, subtitle, notes, err := ofTags(o.tags, slices.Collect(slices.Chunk(sources, 1)), read)
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

// ofTags reads every group of sources under every tag, with a name that sets it apart from the
// others, and returns what all names have in common. A table has no tags: it is read once.
// Groups that lack a tag are left out if others have it, and notes name them, and files in an
// unlikely unit.
func ofTags[T measured](asked []string, groups [][]source.Source, read func(group []source.Source, tag, name string) (T, error)) (
	list []T, common string, notes []string, err error,
) {
	names, common := input.Names(groups)
	lacking, logs := make(map[string][]string), 0 // names by tag, and how many groups have tags
	for _, group := range groups {
		if group[0].Table == nil {
			logs++
		}
	}
	for i, group := range groups {
		tags := asked
		if len(tags) == 0 || group[0].Table != nil {
			tags = []string{""}
		}
		for _, tag := range tags {
			name := names[i]
			if len(tags) > 1 {
				name += " " + tag
			}
			one, err := read(group, tag, name)
			switch {
			case err == nil:
				list, notes = append(list, one), append(notes, unitNotes(group[0], one)...)
			case errors.Is(err, source.ErrTag) && len(lacking[tag]) < logs-1: // others may have it
				lacking[tag] = append(lacking[tag], names[i])
			default:
				return nil, "", nil, err
			}
		}
	}
	for _, tag := range asked {
		if names := lacking[tag]; len(names) > 0 {
			notes = append(notes, fmt.Sprintf("%s left out, without values of %s", words.Are(names, mostLeftOut, "line"), tag))
		}
	}
	return list, common, notes, nil
}

const mostLeftOut = 4

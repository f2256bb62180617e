package cli

import (
	"slices"

	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results/source"
)

// A drawer draws a chart of sources. It also returns notes, which are printed on
// stderr.
type drawer func(o plotOptions, sources []source.Source) (chart *plot.Chart, notes []string, err error)

// drawCurves draws a line for each group of repeats and tag.
func drawCurves(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	var curves []plot.Curve
	groups := plot.Repeats(sources)
	if slices.Contains(o.tags, source.Corrected) { // it is in no log, so repeats cannot be added up
		groups = slices.Collect(slices.Chunk(sources, 1))
	}
	subtitle, err := o.each(groups, func(repeats []source.Source, tag, name string) error {
		c, err := plot.NewCurve(repeats, tag, name)
		curves = append(curves, c)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Percentiles(curves, subtitle, o.Options)
	return chart, nil, err
}

// drawTimelines draws a panel for each source and tag.
func drawTimelines(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	var all []plot.Series
	subtitle, err := o.each(slices.Collect(slices.Chunk(sources, 1)), func(alone []source.Source, tag, name string) error {
		s, err := plot.NewSeries(alone[0], tag, name)
		all = append(all, s)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Timeline(all, subtitle, o.Options)
	return chart, nil, err
}

func drawRate(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	ladders, subtitle, notes, err := plot.Ladders(sources)
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Rate(ladders, subtitle, o.Options)
	return chart, notes, err
}

// each calls add for every group of sources and tag, with a name that sets it apart
// from the others, and returns what all names have in common. A table has no tags: it is
// added once.
func (o plotOptions) each(groups [][]source.Source, add func(group []source.Source, tag, name string) error) (common string, err error) {
	names, common := plot.Names(groups)
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
			if err := add(group, tag, name); err != nil {
				return "", err
			}
		}
	}
	return common, nil
}

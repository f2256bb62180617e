package cli

import (
	"strings"

	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

func drawPercentiles(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	var curves []plot.Curve
	subtitle, err := o.each(sources, func(s source.Source, tag, name string) error {
		curve, err := plot.NewCurve(s, tag, name)
		curves = append(curves, curve)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	chart, err := plot.Percentiles(curves, subtitle, o.Options)
	return chart, nil, err
}

func drawTimeline(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
	var all []plot.Series
	subtitle, err := o.each(sources, func(s source.Source, tag, name string) error {
		series, err := plot.NewSeries(s, tag, name)
		all = append(all, series)
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

// each calls add for every source and tag, with a name that sets it apart from the
// others, and returns what all names have in common. A table has no tags: it is
// added once.
func (o plotOptions) each(sources []source.Source, add func(s source.Source, tag, name string) error) (common string, err error) {
	names, common := source.Names(sources)
	for i, s := range sources {
		tags := o.tags
		if len(tags) == 0 || s.Table != nil {
			tags = []string{""}
		}
		for _, tag := range tags {
			name := names[i]
			if len(tags) > 1 {
				name += " " + tag
			}
			if s.Cell != nil && s.Cell.Verdict != results.Valid {
				name += ", " + strings.ToUpper(string(s.Cell.Verdict))
			}
			if err := add(s, tag, name); err != nil {
				return "", err
			}
		}
	}
	return common, nil
}

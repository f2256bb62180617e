package cli

import (
	"strings"

	"github.com/brokerbench/brokerbench/report/plot"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A drawer draws a chart of sources. It also returns notes, which are printed on
// stderr.
type drawer func(o plotOptions, sources []source.Source) (chart *plot.Chart, notes []string, err error)

// drawLines returns the drawer of a chart with a line for each source and tag.
func drawLines[T any](
	newLine func(s source.Source, tag, name string) (T, error),
	draw func(lines []T, subtitle string, o plot.Options) (*plot.Chart, error),
) drawer {
	return func(o plotOptions, sources []source.Source) (*plot.Chart, []string, error) {
		var lines []T
		subtitle, err := o.each(sources, func(s source.Source, tag, name string) error {
			line, err := newLine(s, tag, name)
			lines = append(lines, line)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		chart, err := draw(lines, subtitle, o.Options)
		return chart, nil, err
	}
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

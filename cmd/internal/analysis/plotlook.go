package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
)

// defineAxis defines the flags for the axis of times.
func (o *plotOptions) defineAxis(f *pflag.FlagSet) {
	f.BoolVar(&o.log, "log", false, "draw times on a logarithmic axis")
	f.BoolVar(&o.linear, "linear", false, fmt.Sprintf("draw times on an axis from 0 (default: logarithmic if they differ by more than a factor of %d)", plot.AutoFactor))
}

// define defines the flags for how a chart looks.
func (o *plotOptions) define(f *pflag.FlagSet) {
	f.StringVar(&o.Title, "title", "", "title in place of the chart's own")
	command.DefineChoice(f, &o.theme, "theme", "", "the background of the chart: ", []string{"light", "dark"})
	f.IntVar(&o.Width, "width", plot.DefaultWidth, "width in pixels")
	f.IntVar(&o.Height, "height", 0, "height in pixels (default: as needed)")
	f.Float64Var(&o.Scale, "scale", 1, "enlarge all of it, such as 2 for a sharp PNG on a fine screen")
}

// look sets what the flags say of how a chart looks.
func (o *plotOptions) look() error {
	if o.log && o.linear {
		return errors.New("--log and --linear: want one of them, or neither")
	}
	o.Axis, o.Theme = axisOf(o.log, o.linear), palette.Light
	if o.theme == "dark" {
		o.Theme = palette.Dark
	}
	return nil
}

// axisOf returns the axis that flags ask for.
func axisOf(log, linear bool) plot.Axis {
	switch {
	case log:
		return plot.Log
	case linear:
		return plot.Linear
	}
	return plot.Auto
}

// inOrder sorts cells as the plan names them: a run of repeats measures its targets in
// a random order. Files stay as they were named, and cells beside them.
func inOrder(sources []source.Source, targets []string) {
	if slices.ContainsFunc(sources, func(s source.Source) bool { return s.Cell == nil }) {
		return
	}
	slices.SortStableFunc(sources, func(a, b source.Source) int {
		x, y := a.Cell.Plan, b.Cell.Plan
		return cmp.Or(
			cmp.Compare(slices.Index(targets, x.Target.Name), slices.Index(targets, y.Target.Name)), cmp.Compare(x.Shape.Size, y.Shape.Size),
			cmp.Compare(x.Shape.Connections, y.Shape.Connections), cmp.Compare(x.Shape.Rate, y.Shape.Rate), cmp.Compare(x.Repeat, y.Repeat))
	})
}

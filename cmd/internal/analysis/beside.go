package analysis

import (
	"errors"
	"os"
	"slices"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// isFile reports whether a path is a file, as other tools write them.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// runBeside shows the numbers of runs and of other tools' files.
func runBeside(s command.Streams, o compareOptions, paths []string) error {
	if len(o.failOn) > 0 || o.By == compare.ByShape || o.Force || o.Format() == exchange.JUnit {
		return command.Usage(errors.New("files of other tools are only shown beside runs, which takes no --fail-on, --by shape, --unequal or --format junit"))
	}
	sources, notes, err := source.Find(paths)
	if err != nil {
		return err
	}
	names, _ := source.Names(sources)
	var list []comparison.Foreign
	for i, one := range sources {
		rows, err := beside(one, names[i])
		if err != nil {
			return mistake(err)
		}
		list = append(list, rows...)
	}
	sayNotes(s, notes)
	d := comparison.Beside(list)
	exchange.OfferGates(d, nil)
	return o.Show(s, d)
}

// beside returns the rows of a source: of a cell counted from due and from sent.
func beside(s source.Source, name string) ([]comparison.Foreign, error) {
	if s.Cell != nil {
		return []comparison.Foreign{numbers(s.Cell.Response, name, "due"), numbers(s.Cell.Service, name, "sent")}, nil
	}
	curve, err := input.NewCurve([]source.Source{s}, "", name)
	if err != nil {
		return nil, err
	}
	f := comparison.Foreign{Name: name, Counts: s.Counts}
	for _, p := range comparison.BesidePercentiles() {
		f.Values = append(f.Values, comparison.Value{Percentile: p, NS: at(curve.Line, p), Usable: true})
	}
	return []comparison.Foreign{f}, nil
}

// numbers returns the row of a distribution of ours.
func numbers(d results.Distribution, name, counts string) comparison.Foreign {
	f := comparison.Foreign{Name: name, Counts: counts}
	for _, p := range comparison.BesidePercentiles() {
		n := answer.NumberOf(d, p)
		f.Values = append(f.Values, comparison.Value{Percentile: p, NS: n.NS, Usable: n.Usable, AtLeast: n.AtLeast})
	}
	return f
}

// at returns the value of the first point at or above a percentile. The last point is the maximum, which
// stands for no other percentile: the file does not tell them apart.
func at(line []input.Point, percentile float64) *int64 {
	if len(line) == 0 {
		return nil
	}
	last := len(line) - 1
	if percentile == 100 {
		return new(int64(line[last].Value))
	}
	i := slices.IndexFunc(line[:last], func(p input.Point) bool { return p.Percentile >= percentile-1e-9 })
	if i < 0 {
		return nil
	}
	return new(int64(line[i].Value))
}

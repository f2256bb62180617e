package source

import (
	"slices"

	"github.com/brokerbench/brokerbench/results"
)

// Targets returns the names of all targets of the sources' runs, in the order of the runs' plans,
// which is the order of their colours, whichever cells are drawn. A run that cannot be read
// has none.
func Targets(sources []Source) (names []string) {
	var runs []string
	for _, s := range sources {
		if s.Run == "" || slices.Contains(runs, s.Run) {
			continue
		}
		runs = append(runs, s.Run)
		store, err := results.Open(s.Run)
		if err != nil {
			continue
		}
		run, err := store.Run()
		if err != nil {
			continue
		}
		for _, t := range run.Plan.Targets {
			names = append(names, t.Name)
		}
	}
	return names
}

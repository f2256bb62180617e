package history

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/results"
)

// Find returns the folders of runs among paths and in the folders among them, each once.
func Find(paths []string) (dirs []string, err error) {
	seen := make(map[string]bool)
	for _, path := range paths {
		inside, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		for _, dir := range inside {
			if target, err := filepath.EvalSymlinks(dir); err == nil && !seen[target] {
				seen[target], dirs = true, append(dirs, dir)
			}
		}
	}
	return dirs, nil
}

func runsIn(path string) (dirs []string, err error) {
	if isRun(path) {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	for _, e := range entries {
		if dir := filepath.Join(path, e.Name()); isRun(dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s holds no run (want a folder of results, such as brokerbench-results)", path)
	}
	return dirs, nil
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, results.RunFile))
	return err == nil
}

// Read reads the cells of runs, without their logs. It returns the runs that cannot be
// read in out: a history does not fail because of one of them.
func Read(dirs []string) (runs []*compare.Set, out []Out) {
	for _, dir := range dirs {
		set, err := compare.OpenCells(dir)
		switch {
		case err != nil:
			out = append(out, Out{dir, err.Error()})
		case len(set.Trials) == 0:
			out = append(out, Out{dir, "no cell was measured"})
		default:
			runs = append(runs, set)
		}
	}
	slices.SortStableFunc(runs, func(a, b *compare.Set) int { return a.Run.Started.Compare(b.Run.Started) })
	return runs, out
}

package source

import (
	"fmt"
	"path/filepath"

	"github.com/brokerbench/brokerbench/internal/sections"
	"github.com/brokerbench/brokerbench/results"
)

// folder returns the sources in the folder of a run, or of a cell.
func folder(dir string) (found []Source, notes []string, err error) {
	switch {
	case exists(filepath.Join(dir, results.RunFile)):
		return run(dir)
	case exists(filepath.Join(dir, results.CellFile)):
		found, err = cell(dir)
		return found, nil, err
	case exists(filepath.Join(dir, results.IntervalsFile)): // its run was killed
		notes = []string{fmt.Sprintf("%s: without %s the number of missing messages is unknown", dir, results.CellFile)}
		s, err := file(filepath.Join(dir, results.IntervalsFile))
		return []Source{s}, notes, err
	case exists(filepath.Join(dir, results.SummaryFile)):
		return merged(dir)
	}
	if runs := runsIn(dir); len(runs) > 0 {
		return nil, nil, fmt.Errorf("%s: it is not a run but holds %d of them (name one, such as %s)",
			dir, len(runs), runs[len(runs)-1])
	}
	return nil, nil, fmt.Errorf("%s: neither the folder of a run (there is no %s) nor of a cell (no %s) %s",
		dir, results.RunFile, results.CellFile, remedy)
}

// runsIn returns the folders of the runs in a folder.
func runsIn(dir string) (runs []string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*", results.RunFile))
	for _, file := range files {
		runs = append(runs, filepath.Dir(file))
	}
	return results.WithoutLatest(runs)
}

// run returns the measured cells of a run.
func run(dir string) (found []Source, notes []string, err error) {
	store, err := results.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	described, err := store.Run()
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range described.Cells {
		if entry.Verdict == "" {
			notes = append(notes, fmt.Sprintf("%s was not measured", store.Cell(entry.ID).Dir()))
			continue
		}
		of, err := cell(store.Cell(entry.ID).Dir())
		if err != nil {
			return nil, nil, err
		}
		found = append(found, of...)
	}
	if len(found) == 0 {
		return nil, nil, fmt.Errorf("%s: none of its %d cells was measured (its %s says why)", dir, len(described.Cells), results.RunFile)
	}
	return found, notes, nil
}

// cell returns the cell in a folder, which may be outside of a run, or its sections.
func cell(dir string) ([]Source, error) {
	c, err := results.OpenCell(dir).Read()
	if err != nil {
		return nil, err
	}
	run := ""
	if above := filepath.Join(dir, "..", ".."); exists(filepath.Join(above, results.RunFile)) {
		run = above
	}
	return Of(dir, run, c), nil
}

// Of returns the sources of a cell in a folder: the cell, or each of its sections.
func Of(dir, run string, c *results.Cell) (list []Source) {
	for _, one := range sections.Of(c) {
		list = append(list, In(dir, run, one))
	}
	return list
}

// In returns the source of a cell, or of one of its sections, in the folder of the cell.
func In(dir, run string, c *results.Cell) Source {
	s := Source{Path: dir, Run: run, Cell: c, section: c.Plan.Shape.Section}
	if s.section > 0 {
		s.Path = sections.Folder(dir, s.section).Dir()
	}
	return s
}

// merged returns the merged.hgrm of repeats, with their distribution, which has the missing messages and
// the limits of each percentile.
func merged(dir string) (found []Source, notes []string, err error) {
	summary, err := results.OpenSummary(dir)
	if err != nil {
		return nil, nil, err
	}
	s, err := file(filepath.Join(dir, results.MergedFile))
	s.Tag, s.Of = Response, &summary.Response
	return one(s, err)
}

func one(s Source, err error) ([]Source, []string, error) { return []Source{s}, nil, err }

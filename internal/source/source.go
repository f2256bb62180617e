// Package source finds the latencies in a path: the cells of a result set, or a
// file of any tool that writes HdrHistogram's formats.
package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// A Source is one cell, a section of a cell whose rate changes, or one file of another tool:
// exactly one of Cell, Table and Log is set.
type Source struct {
	Path string // the folder of the cell, or the file
	Run  string // the folder of the cell's run; "" if it lies in none
	Tag  string // the tag that the path implies: service for service.hgrm

	Cell  *results.Cell
	Table *histogram.Percentiles // in milliseconds; a table does not name its unit
	Of    *results.Distribution  // what brokerbench wrote a Table of; nil of another tool's
	Log   string                 // a file of nanoseconds, of any length
	Unit  time.Duration          // of the values of a Table or Log; 0 is milliseconds of a Table, nanoseconds of a Log

	Counts string // the moment from which the times of a foreign Table count; "" if the file does not say it

	section int    // of the cell, from 1, if its rate changes: its log is that of the whole cell
	text    []byte // the content of Log if it is standard input, which can be read only once
}

// Foreign reports whether a source is a file that brokerbench may not have written.
func (s Source) Foreign() bool { return s.Cell == nil && s.Run == "" && s.Tag == "" }

// Scale returns what to multiply the values of a source by: those of a Table to get milliseconds,
// those of a Log to get nanoseconds.
func (s Source) Scale() float64 {
	switch {
	case s.Unit == 0:
		return 1
	case s.Table != nil:
		return float64(s.Unit) / float64(time.Millisecond)
	}
	return float64(s.Unit)
}

// Name returns a short name. See [Names].
func (s Source) Name() string {
	if s.Cell != nil {
		return s.Cell.ID
	}
	return filepath.Base(s.Path)
}

// Find returns the sources in paths, in their order: every measured cell of a run, a cell by its
// folder or one of its files, and other files by their content, not their name. Notes name
// the cells that were not measured. An error names the path, the cause, and a remedy.
func Find(paths []string) (sources []Source, notes []string, err error) {
	for _, path := range paths {
		found, skipped, err := find(filepath.Clean(path))
		if err != nil {
			return nil, nil, err
		}
		sources, notes = append(sources, found...), append(notes, skipped...)
	}
	return sources, notes, nil
}

func find(path string) (found []Source, notes []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	switch base := filepath.Base(path); {
	case info.IsDir():
		return folder(path)
	case base == results.RunFile || base == results.CellFile:
		return folder(filepath.Dir(path))
	case ofCell(path):
		return cellFile(path)
	case base == results.MergedFile && exists(filepath.Join(filepath.Dir(path), results.SummaryFile)):
		return merged(filepath.Dir(path))
	}
	return one(file(path))
}

// remedy ends the errors about a path.
const remedy = "(want the folder of a run or of a cell, a .hgrm or a .hlog)"

func unreadable(path string, err error) error {
	return fmt.Errorf("%s: %w %s", path, cause(err), remedy)
}

// cause returns why an operation on a file failed, without the path.
func cause(err error) error {
	var on *fs.PathError
	if errors.As(err, &on) {
		return on.Err
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

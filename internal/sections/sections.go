// Package sections makes cells of the sections of a cell whose rate changes. Percentiles of such a
// cell are those of its sections: whatever shows or compares results takes these cells.
package sections

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/brokerbench/brokerbench/results"
)

// Of returns the cells of the sections, complete; of a cell whose rate does not change the cell itself, or
// those of its sizes.
func Of(c *results.Cell) (list []*results.Cell) {
	if len(c.Sections) == 0 {
		return c.BySize()
	}
	for _, s := range c.Sections {
		s := *s
		Complete(&s, c)
		list = append(list, &s)
	}
	return list
}

// Wholes returns cells that [Of] returned, in place of those of the sizes of a cell that cell, once.
func Wholes(cells []*results.Cell) (list []*results.Cell) {
	for _, c := range cells {
		if whole := cmp.Or(c.Whole, c); !slices.Contains(list, whole) {
			list = append(list, whole)
		}
	}
	return list
}

// Folder returns the folder of the percentile tables of a section, from 1, of a cell in a folder.
func Folder(cell string, n int) *results.CellFolder {
	return results.OpenCell(filepath.Join(cell, "sections", strconv.Itoa(n)))
}

// CreateFolder creates that folder.
func CreateFolder(cell string, n int) (*results.CellFolder, error) {
	folder := Folder(cell, n)
	if err := os.MkdirAll(folder.Dir(), 0o755); err != nil { //nolint:gosec // results are for everyone to read
		return nil, fmt.Errorf("creating folder %s: %w", folder.Dir(), err)
	}
	return folder, nil
}

// Complete copies from the whole cell what its sections have in common.
func Complete(section, whole *results.Cell) {
	s, w := section, whole
	s.Schema, s.Broker, s.Started, s.Measured, s.ElapsedNS = w.Schema, w.Broker, w.Started, w.Measured, w.ElapsedNS
	s.SpinNS, s.UsableCores, s.HeldByOthers, s.SenderCores = w.SpinNS, w.UsableCores, w.HeldByOthers, w.SenderCores
	s.Strays, s.Failures, s.Left, s.ShortLog, s.WarmupLedger = w.Strays, w.Failures, w.Left, w.ShortLog, w.WarmupLedger
	s.Echo, s.Audit, s.EndedNodes, s.Floor, s.Hiccup, s.Usage = w.Echo, w.Audit, w.EndedNodes, w.Floor, w.Hiccup, w.Usage
	s.Agents, s.Events, s.Disks = w.Agents, w.Events, w.Disks
}

// Keep makes a section of a cell of a complete one: without what the cell has for all of them.
func Keep(whole, section *results.Cell) {
	Complete(section, new(results.Cell))
	whole.Sections = append(whole.Sections, section)
}

// Sum completes a cell whose sections are kept: its verdict is the gravest of theirs, and its
// distributions have no percentiles, which would be those of a mixture of rates.
func Sum(c *results.Cell) {
	c.Verdict = results.Valid
	for _, s := range c.Sections {
		if s.Verdict.Worse(c.Verdict) {
			c.Verdict = s.Verdict
		}
	}
	for _, d := range []*results.Distribution{&c.Response, &c.Service, &c.Lag, &c.Held, c.Corrected, c.Published, c.Outward, c.Back, c.Ack, c.Complete} {
		if d != nil {
			d.Percentiles, d.Histogram, d.MeanNS, d.StdDevNS = slices.Clip([]results.Percentile{}), "", 0, 0
		}
	}
}

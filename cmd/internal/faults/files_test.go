//go:build linux

package faults

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// runs returns the folders of the runs in out.
func (a *attempt) runs() []string {
	folders, err := filepath.Glob(filepath.Join(a.out(), "*"))
	if err != nil {
		a.t.Fatal(err)
	}
	return results.WithoutLatest(folders)
}

// prefixes returns how the names begin of what the runs make on a broker for their
// first cell.
func (a *attempt) prefixes() (prefixes []string) {
	for _, folder := range a.runs() {
		if store, err := results.Open(folder); err == nil {
			if run, err := store.Run(); err == nil {
				prefixes = append(prefixes, "brokerbench."+run.ID+"-0.")
			}
		}
	}
	return prefixes
}

// checkFiles wants every file whole, and the ledgers to add up.
func (a *attempt) checkFiles() {
	cells := 0
	for _, folder := range a.runs() {
		store, err := results.Open(folder)
		if err != nil && a.row.cut {
			continue // not even run.json could be written
		}
		if err != nil {
			a.fall("%v", err)
			continue
		}
		run, err := store.Run()
		if err != nil {
			a.fall("%v", err)
			continue
		}
		a.strict(filepath.Join(folder, results.RunFile), &results.Run{})
		if run.Finished.IsZero() != a.row.killed && !a.row.cut {
			a.fall("run.json says it ended at %v", run.Finished)
		}
		for _, entry := range run.Cells {
			if cell := store.Cell(entry.ID); a.checkCell(cell, run) {
				cells++
			}
		}
		a.checkTemporary(folder)
	}
	if cells > 0 == (a.row.unmade || a.row.killed) && !a.either() && !a.row.cut {
		a.fall("%d cells were measured", cells)
	}
}

// either tells whether a row may measure or not.
func (a *attempt) either() bool { return len(a.row.exit) > 1 && !a.row.unmade }

// checkCell returns whether the cell was measured.
func (a *attempt) checkCell(folder *results.CellFolder, run results.Run) (measured bool) {
	if _, err := os.Stat(filepath.Join(folder.Dir(), results.CellFile)); err != nil {
		if a.row.killed {
			a.checkLog(folder, nil)
		}
		return false
	}
	cell, err := folder.Read()
	if err != nil {
		a.fall("%v", err)
		return false
	}
	a.strict(filepath.Join(folder.Dir(), results.CellFile), &results.Cell{})
	l := cell.Ledger
	due := int64(perSecond * a.row.window / time.Second)
	if l.Due != l.Done+l.Failed+l.Lost+l.Unsent || l.Done < 0 || l.Failed < 0 || l.Lost < 0 || l.Unsent < 0 {
		a.fall("the ledger does not add up: %+v", l)
	}
	if !cell.Interrupted && len(a.row.args) == 0 && l.Due != due || l.Due > due {
		a.fall("%d messages were due, want %d", l.Due, due)
	}
	if l.Done != cell.Response.Count || l.Due-l.Done != cell.Response.Missing {
		a.fall("response has %d values and %d missing, the ledger %+v", cell.Response.Count, cell.Response.Missing, l)
	}
	if a.row.exit == nil && l.Due != l.Done {
		a.fall("not every message is done: %+v", l)
	}
	if l.Due > l.Done && cell.Verdict == results.Valid {
		a.fall("valid, with the ledger %+v", l)
	}
	if cell.Interrupted != run.Interrupted {
		a.fall("run.json says interrupted: %v, and cell.json: %v", run.Interrupted, cell.Interrupted)
	}
	if !a.row.cut {
		a.strict(filepath.Join(folder.Dir(), results.ResourcesFile), &results.Resources{})
		a.checkPercentiles(folder, cell)
	}
	a.checkLog(folder, cell)
	return true
}

// checkPercentiles wants the table to end with the maximum.
func (a *attempt) checkPercentiles(folder *results.CellFolder, cell *results.Cell) {
	text, err := os.ReadFile(filepath.Join(folder.Dir(), results.ResponseFile))
	if err != nil {
		a.fall("%v", err)
		return
	}
	if _, err := histogram.ReadPercentiles(bytes.NewReader(text)); err != nil && cell.Ledger.Done > 0 {
		a.fall("%s: %v", results.ResponseFile, err)
	}
}

// checkLog wants the interval log to have whole lines, with every message done; of
// a program that was killed, those of the seconds before.
func (a *attempt) checkLog(folder *results.CellFolder, cell *results.Cell) {
	file, err := folder.OpenIntervals()
	if err != nil {
		a.fall("%v", err)
		return
	}
	defer file.Close()
	log, err := histogram.ReadLog(file)
	if err != nil || log.Truncated {
		a.fall("%s: %v, truncated: %v", results.IntervalsFile, err, log.Truncated)
		return
	}
	done := int64(0)
	for _, entry := range log.Entries {
		if entry.Tag == "response" {
			done += entry.Histogram.Count()
		}
	}
	switch {
	case cell != nil && done != cell.Ledger.Done && a.row.cut && strings.Contains(a.stdout+a.stderr, results.IntervalsFile):
	case cell != nil && done != cell.Ledger.Done:
		a.fall("%s has %d messages done, cell.json %d", results.IntervalsFile, done, cell.Ledger.Done)
	case cell == nil && done == 0:
		a.fall("%s has no message", results.IntervalsFile)
	}
}

// strict wants a JSON file with the fields of v and no other.
func (a *attempt) strict(path string, v any) {
	text, err := os.ReadFile(path)
	if err != nil {
		a.fall("%v", err)
		return
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		a.fall("%s: %v", filepath.Base(path), err)
	}
}

// checkTemporary wants no file that was not finished.
func (a *attempt) checkTemporary(folder string) {
	if a.row.killed {
		return
	}
	for _, pattern := range []string{".*", "cells/*/.*"} {
		if found, _ := filepath.Glob(filepath.Join(folder, pattern)); len(found) > 0 {
			a.fall("unfinished files: %v", found)
		}
	}
}

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/results"
)

// mostBytes is how large a bundle may be.
const mostBytes = 25 << 20

// unseal removes the checksums, if the runs are as they say. Restore writes them again.
func (b bundle) unseal() (restore func() error, err error) {
	if err := claims.CheckSumsOf(b.dir, "runs"); err != nil {
		return nil, fmt.Errorf("%w\nif the runs were replaced on purpose, delete %s", err, claims.SumsFile)
	}
	file := filepath.Join(b.dir, claims.SumsFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil
	}
	if err == nil {
		err = os.Remove(file)
	}
	return func() error { return os.WriteFile(file, text, 0o644) }, err //nolint:gosec // it is to be published
}

// unclaimed lists the files of a cell that no claim and no chart needs: the samples, whose totals are in the result.
var unclaimed = []string{cause.File, results.ResourcesFile, results.ResourcesTable, results.NodesFile, results.NodesTable}

// compact removes such files from a folder of runs, and the indentation of JSON, a third of its size.
func compact(dir string) error {
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if slices.Contains(unclaimed, entry.Name()) {
			return os.Remove(file)
		}
		if filepath.Ext(file) != ".json" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var small bytes.Buffer
		if err := json.Compact(&small, text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		small.WriteByte('\n')
		return os.WriteFile(file, small.Bytes(), 0o644) //nolint:gosec // it is to be published
	})
}

// prune removes the interval logs of cells that no chart draws.
func (a *author) prune() error {
	logs, err := filepath.Glob(filepath.Join(a.dir, "runs", "[0-9]*", "cells", "*", results.IntervalsFile))
	for _, log := range logs {
		if !a.charted[filepath.Dir(log)] {
			err = errors.Join(err, os.Remove(log))
		}
	}
	return err
}

// seal writes the checksums of all files. A bundle that is too large is an error.
func (b bundle) seal() error {
	var sums strings.Builder
	size := 0
	err := filepath.WalkDir(b.dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == claims.SumsFile {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(b.dir, file)
		size += len(text)
		fmt.Fprintf(&sums, "%x  ./%s\n", sha256.Sum256(text), filepath.ToSlash(name))
		return err
	})
	if err == nil && size > mostBytes {
		err = fmt.Errorf("%s has %d bytes, more than %d MiB", b.dir, size, mostBytes>>20)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, claims.SumsFile), []byte(sums.String()), 0o644) //nolint:gosec // it is to be published
}

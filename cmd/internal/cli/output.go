package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/brokerbench/brokerbench/internal/atomicfile"
	"github.com/brokerbench/brokerbench/results"
)

// writeOutput writes a file that the user has named, whole or not at all. It replaces
// neither a file that was read for it nor one of a result.
func writeOutput(path string, inputs []string, write func(io.Writer) error) error {
	if err := checkOutput(path, inputs); err != nil {
		return usage(err)
	}
	return atomicfile.Write(path, write)
}

// checkOutput returns an error if path is one of the inputs, or a file of a result.
func checkOutput(path string, inputs []string) error {
	there, err := os.Stat(path)
	if err != nil {
		return nil // it is new, or writing it says what is wrong
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(there, in) {
			return fmt.Errorf("--output %s: it is read for this output: name another file", path)
		}
	}
	if slices.Contains(append(results.Files(), searchFile, abFile), filepath.Base(path)) && isResult(filepath.Dir(path)) {
		return fmt.Errorf("--output %s: it is a file of the result in %s: name another file", path, filepath.Dir(path))
	}
	return nil
}

// isResult reports whether a folder is that of a run, of a cell, or of a summary.
func isResult(dir string) bool {
	return slices.ContainsFunc([]string{results.RunFile, results.CellFile, results.SummaryFile}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

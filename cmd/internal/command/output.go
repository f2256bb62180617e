package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// An Output is where a command writes: standard output, or a file that -o names.
type Output struct {
	Path    string            // "" and "-" are standard output
	force   bool              // replace a file that exists
	formats []document.Format // of the command, whose names are no files
}

// Define defines -o and --force.
func (o *Output) Define(f *pflag.FlagSet, help string) {
	f.VarP(outputPath{&o.Path}, "output", "o", help)
	f.BoolVar(&o.force, "force", false, "replace a file that exists")
}

// Replace lets an existing file be replaced, as --force does.
func (o *Output) Replace() { o.force = true }

// ToStdout reports whether no file is named.
func (o *Output) ToStdout() bool { return o.Path == "" || o.Path == "-" }

// Check returns an error if the file cannot be written, or must not be. A command
// that takes long calls it before it begins, and write again.
func (o *Output) Check(inputs ...string) error {
	if o.ToStdout() {
		return nil
	}
	return o.checkFile("--output", o.Path, inputs)
}

// Write writes to standard output, or the file, whole or not at all.
func (o *Output) Write(s Streams, inputs []string, write func(io.Writer) error) error {
	if o.ToStdout() {
		return write(s.Out)
	}
	return o.WriteFile("--output", o.Path, inputs, write)
}

// WriteFile writes a file that a flag has named, whole or not at all. It writes directly
// to a pipe or a device.
func (o *Output) WriteFile(flag, path string, inputs []string, write func(io.Writer) error) error {
	if err := o.checkFile(flag, path, inputs); err != nil {
		return err
	}
	if isDevice(path) {
		return writeDevice(path, write)
	}
	if leads, err := filepath.EvalSymlinks(path); err == nil {
		path = leads // the link stays
	}
	return safefile.Write(path, write)
}

// An outputPath is the pflag.Value of -o.
type outputPath struct{ path *string }

func (p outputPath) String() string { return *p.path }

// Type names the value in help.
func (p outputPath) Type() string { return "file" }

// Set refuses an empty name, which a variable of a shell may be by mistake.
func (p outputPath) Set(text string) error {
	if text == "" {
		return errors.New("want a file, or - for standard output")
	}
	*p.path = text
	return nil
}

// The files of results that commands write into the folders of runs.
const (
	SearchFile = "search.json" // the findings of a search
	AbFile     = "ab.json"     // the results of the pairs of ab, in the folders of both sides
)

// checkFile returns an error if path exists and force is not set, and in any case if it
// is one of the inputs, a file of a result, or in no folder.
func (o *Output) checkFile(flag, path string, inputs []string) error {
	if err := errors.Join(Usage(o.checkWord(flag, path)), checkFolder(path)); err != nil {
		return err
	}
	there, err := os.Lstat(path)
	if err != nil || isDevice(path) {
		return nil // it is new, or writing it says what is wrong
	}
	if err := checkReplaced(flag, path, inputs); err != nil {
		return Usage(err)
	}
	switch {
	case there.IsDir():
		return Usage(fmt.Errorf("%s %s: it is a folder: want a file", flag, path))
	case !o.force:
		return Usage(fmt.Errorf("%s %s: the file exists: name another, or add --force to replace it", flag, path))
	}
	return nil
}

// checkWord refuses the name of a format, which other tools take as -o.
func (o *Output) checkWord(flag, path string) error {
	word := document.Format(strings.ToLower(path))
	if !slices.Contains(o.formats, word) {
		return nil
	}
	return fmt.Errorf("%s %s: -o is a file; did you mean --format %s? (a file of that name is ./%[2]s)", flag, path, word)
}

// checkFolder returns an error if the folder of a path is none.
func checkFolder(path string) error {
	folder, err := os.Stat(filepath.Dir(path))
	if err == nil && !folder.IsDir() {
		err = syscall.ENOTDIR
	}
	if on := (*fs.PathError)(nil); errors.As(err, &on) {
		err = on.Err
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// checkReplaced returns an error if path is one of the inputs, or a file of a result.
func checkReplaced(flag, path string, inputs []string) error {
	there, err := os.Stat(path)
	if err != nil {
		return nil // a link to nothing
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(there, in) {
			return fmt.Errorf("%s %s: it is read for this output: name another file", flag, path)
		}
	}
	if slices.Contains(append(results.Files(), SearchFile, AbFile), filepath.Base(path)) && isResult(filepath.Dir(path)) {
		return fmt.Errorf("%s %s: it is a file of the result in %s: name another file", flag, path, filepath.Dir(path))
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

// isDevice reports whether a path is a pipe, a device or a socket, such as /dev/null.
func isDevice(path string) bool {
	there, err := os.Stat(path)
	return err == nil && !there.Mode().IsRegular() && !there.IsDir()
}

func writeDevice(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	return errors.Join(write(f), f.Close())
}

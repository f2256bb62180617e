package cli

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/atomicfile"
	"github.com/brokerbench/brokerbench/report/document"
)

// An output is where a command writes: standard output, or a file that -o names.
type output struct {
	path    string            // "" and "-" are standard output
	force   bool              // replace a file that exists
	formats []document.Format // of the command, whose names are no files
}

// define defines -o and --force.
func (o *output) define(f *pflag.FlagSet, help string) {
	f.VarP(outputPath{&o.path}, "output", "o", help)
	f.BoolVar(&o.force, "force", false, "replace a file that exists")
}

// toStdout reports whether no file is named.
func (o *output) toStdout() bool { return o.path == "" || o.path == "-" }

// check returns an error if the file cannot be written, or must not be. A command
// that takes long calls it before it begins, and write again.
func (o *output) check(inputs ...string) error {
	if o.toStdout() {
		return nil
	}
	return o.checkFile("--output", o.path, inputs)
}

// write writes to standard output, or the file, whole or not at all.
func (o *output) write(s Streams, inputs []string, write func(io.Writer) error) error {
	if o.toStdout() {
		return write(s.Out)
	}
	return o.writeFile("--output", o.path, inputs, write)
}

// writeFile writes a file that a flag has named, whole or not at all. A pipe or a
// device has no beginning to keep: it is written to as it is.
func (o *output) writeFile(flag, path string, inputs []string, write func(io.Writer) error) error {
	if err := o.checkFile(flag, path, inputs); err != nil {
		return err
	}
	if isDevice(path) {
		return writeDevice(path, write)
	}
	if leads, err := filepath.EvalSymlinks(path); err == nil {
		path = leads // the link stays
	}
	return atomicfile.Write(path, write)
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

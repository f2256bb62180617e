package command

import (
	"errors"
	"io"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/report/document"
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

package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
	"github.com/brokerbench/brokerbench/results"
)

// FormatHTML is the page that `report` makes.
const FormatHTML document.Format = "html"

// A Printing is how a command prints, and where: --format, --output and --force.
type Printing struct {
	Output
	given document.Format // --format; "" if the file's name may say it
}

// Define defines the flags of a command that prints a document, and in some formats more.
func (p *Printing) Define(f *pflag.FlagSet, more ...document.Format) {
	p.DefineFor(f, append(document.Formats(), more...), "output format: ", "the file to write instead of standard output (-); its name may say the format: .txt, .json, .csv, .md")
}

// DefineFor defines the flags with formats of the command's own, the first by default.
func (p *Printing) DefineFor(f *pflag.FlagSet, allowed []document.Format, helpFormat, helpOutput string) {
	p.formats = allowed
	DefineChoice(f, &p.given, "format", "", helpFormat, allowed)
	p.given = "" // help shows the default, and yet none is given
	p.Output.Define(f, helpOutput)
}

// Format returns the format that was asked for, or that the file's name says, or the
// default.
func (p *Printing) Format() document.Format {
	said := formatOf(p.Path)
	if !slices.Contains(p.formats, said) {
		said = ""
	}
	return cmp.Or(p.given, said, p.formats[0])
}

// Check returns an error if the file cannot be written, must not be, or has a name that
// says another format.
func (p *Printing) Check(inputs ...string) error {
	return errors.Join(Usage(p.checkName()), p.Output.Check(inputs...))
}

// checkName compares the name of the file with the formats of the command.
func (p *Printing) checkName() error {
	ext, said := filepath.Ext(p.Path), formatOf(p.Path)
	switch {
	case p.ToStdout() || ext == "" || isDevice(p.Path):
		return nil
	case p.given == "" && !slices.Contains(p.formats, said):
		return fmt.Errorf("--output %s: no format of this command is called %s: want a name with %s, or --format", p.Path, ext, p.endings())
	case p.given != "" && said != "" && said != exchange.Spoken(p.given):
		return fmt.Errorf("--output %s --format %s: the name says %s: give one of them", p.Path, p.given, said)
	}
	return nil
}

// endings names those that say a format of the command.
func (p *Printing) endings() string {
	var list []string
	for _, ending := range []string{".html", ".txt", ".json", ".csv", ".md"} {
		if slices.Contains(p.formats, formatOf(ending)) {
			list = append(list, ending)
		}
	}
	return strings.Join(list, ", ")
}

// NamesFormat reports whether a name ends as that of a file in some format does.
func NamesFormat(path string) bool { return formatOf(path) != "" }

// formatOf returns the format that the name of a file says; "" if none.
func formatOf(path string) document.Format {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".txt":
		return document.Text
	case ".json", ".csv", ".md", ".html":
		return document.Format(ext[1:])
	}
	return ""
}

// Show prints a document, or writes it into the file and says so.
func (p *Printing) Show(s Streams, d *document.Document) error {
	if p.ToStdout() {
		return s.Show(d, p.Format())
	}
	if err := p.Write(s, nil, func(w io.Writer) error { return d.Write(w, p.Format()) }); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.Out, "file:", p.Path)
	return err
}

// Show prints a document, as wide and with the colours that the terminal has.
func (s Streams) Show(d *document.Document, format document.Format) error {
	d.Columns, d.Colour = s.Columns, s.Colour
	if err := d.Write(s.Out, format); err != nil {
		return fmt.Errorf("printing the results: %w", err)
	}
	return nil
}

// DefineDetails defines the flag for all that is known of each cell.
func DefineDetails(f *pflag.FlagSet, details *bool) {
	f.BoolVar(details, "details", false, "also show what the answer rests on: each cell, how far to trust its numbers, and why not; report.html always does")
}

// DefineDryRun defines the flag for a command that only shows its intention.
func DefineDryRun(f *pflag.FlagSet, dryRun *bool) {
	f.BoolVar(dryRun, "dry-run", false, "print what would be done, and do nothing")
}

// WithFolder adds where the files are, to text only.
func WithFolder(d *document.Document, store *results.Store) *document.Document {
	d.Add("files: "+store.Dir()+"\n", "")
	return d
}

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/report/document"
)

// formatHTML is the page that `report` makes.
const formatHTML document.Format = "html"

// A printing is how a command prints, and where: --format, --output and --force.
type printing struct {
	output
	given document.Format // --format; "" if the file's name may say it
}

// define defines the flags of a command that prints a document.
func (p *printing) define(f *pflag.FlagSet) {
	p.defineFor(f, document.Formats(), "what to print: ", "the file to write instead of standard output (-); its name may say the format: .txt, .json, .csv, .md")
}

// defineFor defines the flags with formats of the command's own, the first by default.
func (p *printing) defineFor(f *pflag.FlagSet, allowed []document.Format, helpFormat, helpOutput string) {
	p.formats = allowed
	defineChoice(f, &p.given, "format", "", helpFormat, allowed)
	p.given = "" // help shows the default, and yet none is given
	p.output.define(f, helpOutput)
}

// format returns the format that was asked for, or that the file's name says, or the
// default.
func (p *printing) format() document.Format {
	said := formatOf(p.path)
	if !slices.Contains(p.formats, said) {
		said = ""
	}
	return cmp.Or(p.given, said, p.formats[0])
}

// check returns an error if the file cannot be written, must not be, or has a name that
// says another format.
func (p *printing) check(inputs ...string) error {
	return errors.Join(usage(p.checkName()), p.output.check(inputs...))
}

// checkName compares the name of the file with the formats of the command.
func (p *printing) checkName() error {
	ext, said := filepath.Ext(p.path), formatOf(p.path)
	switch {
	case p.toStdout() || ext == "" || isDevice(p.path):
		return nil
	case p.given == "" && !slices.Contains(p.formats, said):
		return fmt.Errorf("--output %s: no format of this command is called %s: want a name with %s, or --format", p.path, ext, p.endings())
	case p.given != "" && said != "" && said != p.given:
		return fmt.Errorf("--output %s --format %s: the name says %s: give one of them", p.path, p.given, said)
	}
	return nil
}

// endings names those that say a format of the command.
func (p *printing) endings() string {
	var list []string
	for _, ending := range []string{".html", ".txt", ".json", ".csv", ".md"} {
		if slices.Contains(p.formats, formatOf(ending)) {
			list = append(list, ending)
		}
	}
	return strings.Join(list, ", ")
}

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

// show prints a document, or writes it into the file and says so.
func (p *printing) show(s Streams, d *document.Document) error {
	if p.toStdout() {
		return s.show(d, p.format())
	}
	if err := p.write(s, nil, func(w io.Writer) error { return d.Write(w, p.format()) }); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.Out, "file:", p.path)
	return err
}

// show prints a document, as wide and with the colours that the terminal has.
func (s Streams) show(d *document.Document, format document.Format) error {
	d.Columns, d.Colour = s.Columns, s.Colour
	if err := d.Write(s.Out, format); err != nil {
		return fmt.Errorf("printing the results: %w", err)
	}
	return nil
}

package document

import (
	"encoding/json"
	"fmt"
	"io"
)

// A Format is how a document is written.
type Format string

// The formats.
const (
	Text     Format = "table" // aligned columns, for a terminal
	JSON     Format = "json"  // everything there is, for programs
	CSV      Format = "csv"   // a row for each result, for spreadsheets
	Markdown Format = "md"    // for a page or a comment
)

// Formats lists them, the default first.
func Formats() []Format { return []Format{Text, JSON, CSV, Markdown} }

// Write writes the document in a format.
func (d *Document) Write(w io.Writer, f Format) (err error) {
	switch f {
	case JSON:
		return WriteJSON(w, d.value)
	case CSV:
		return d.exact.CSV(w)
	case Markdown:
		_, err = io.WriteString(w, d.Markdown())
	case Text:
		_, err = io.WriteString(w, d.Text())
	default:
		return fmt.Errorf("format %q: want one of %q", f, Formats())
	}
	return err
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

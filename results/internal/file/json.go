package file

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// A Limit limits the size of a file to read, so that a malicious one cannot exhaust the
// memory: an empty object takes two bytes of text, and some hundred of memory.
type Limit struct{ Bytes, Objects int64 }

// Small is the limit of files whose size does not depend on the length of a run.
func Small() Limit { return Limit{16 << 20, 1 << 18} }

// Rows is the limit of files with a row for each second: a week of seconds, with six objects
// and 1.7 kB each.
func Rows() Limit { return Limit{1 << 30, 6 * 7 * 86_400} }

// ReadJSON reads a file into v, whose schema must be the wanted one.
func ReadJSON(path string, v any, schema *string, want string, most Limit) error {
	text, err := safefile.Read(path, most.Bytes)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	if n := int64(bytes.Count(text, []byte("{"))); n > most.Objects {
		return fmt.Errorf("reading %s: it has %d objects, more than %d", path, n, most.Objects)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if *schema != want {
		return fmt.Errorf("%s: schema %q, this version reads %q", path, *schema, want)
	}
	return nil
}

// WriteJSON writes a value to a file, indented.
func WriteJSON(path string, v any) error {
	return safefile.Write(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(v)
	})
}

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/report/document"
)

// formats are those that every table can be printed in.
func formats() []string { return []string{"table", "json", "csv", "md"} }

// defineFormat defines the flag of a command that prints a table.
func defineFormat(f *pflag.FlagSet, format *string) {
	f.StringVarP(format, "output", "o", "table", "what to print: "+strings.Join(formats(), ", "))
}

// checkFormat wants one of the allowed formats as the value of a flag.
func checkFormat(flag, format string, allowed []string) error {
	if slices.Contains(allowed, format) {
		return nil
	}
	last := len(allowed) - 1
	return usage(fmt.Errorf("--%s %q: want %s or %s%s", flag, format,
		strings.Join(allowed[:last], ", "), allowed[last], suggest.Hint(format, allowed)))
}

// printSheet prints a table that is the same in every format but JSON, for which
// there is v.
func printSheet(w io.Writer, format string, s document.Table, v any) (err error) {
	switch format {
	case "json":
		return printJSON(w, v)
	case "csv":
		return s.CSV(w)
	case "md":
		_, err = io.WriteString(w, s.Markdown())
	default:
		_, err = io.WriteString(w, s.Text())
	}
	return err
}

// printJSON prints a document.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

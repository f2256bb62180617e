package file

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// A RowWriter writes the rows of a cell's intervals as JSON and as a table, one at a time, so
// that a day's run does not grow in memory. The table is for spreadsheets: it has a column
// for each field, named as in JSON with its parts joined by _. Unknown values are empty. Only
// one goroutine may use it at a time.
type RowWriter[T any] struct {
	name      string
	json, csv *safefile.File
	table     *csv.Writer
	rows      int
	err       error // of encoding JSON; each file keeps its first error
}

// CreateRows creates both files, in a folder. They get their names on Close.
func CreateRows[T any](dir, name, tableName, schema string) (*RowWriter[T], error) {
	text, err := safefile.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	table, err := safefile.Create(filepath.Join(dir, tableName))
	if err != nil {
		text.Discard()
		return nil, err
	}
	w := &RowWriter[T]{name: name, json: text, csv: table, table: csv.NewWriter(table)}
	w.print("{\n  \"schema\": %q,\n  \"intervals\": [", schema)
	var header []string
	flatten(reflect.ValueOf(*new(T)), "", true, func(name, _ string) { header = append(header, name) })
	w.row(header)
	return w, nil
}

// Write adds a row. Close returns the first error.
func (w *RowWriter[T]) Write(u T) {
	text, err := json.MarshalIndent(u, "    ", "  ")
	w.err = cmp.Or(w.err, err)
	separator := ","
	if w.rows == 0 {
		separator = ""
	}
	w.print("%s\n    %s", separator, text)
	var row []string
	flatten(reflect.ValueOf(u), "", true, func(_, text string) { row = append(row, text) })
	w.row(row)
	w.rows++
}

// Close completes both files.
func (w *RowWriter[T]) Close() error {
	end := "\n  ]\n}\n"
	if w.rows == 0 {
		end = "]\n}\n"
	}
	w.print("%s", end)
	w.table.Flush()
	if w.err != nil {
		w.Discard()
		return fmt.Errorf("writing %s: %w", w.name, w.err)
	}
	return cmp.Or(w.json.Commit(), w.csv.Commit()) // the second error would have the same cause
}

// Discard removes both files.
func (w *RowWriter[T]) Discard() {
	w.json.Discard()
	w.csv.Discard()
}

// print and row leave errors to Commit.
func (w *RowWriter[T]) print(format string, args ...any) { _, _ = fmt.Fprintf(w.json, format, args...) }
func (w *RowWriter[T]) row(fields []string)              { _ = w.table.Write(fields) }

// flatten calls add with the name and the value of each number and text in v, in order. The
// values behind a nil pointer are unknown, and empty.
func flatten(v reflect.Value, name string, known bool, add func(name, text string)) {
	switch v.Kind() { //nolint:exhaustive // a row has no others
	case reflect.String:
		add(name, v.String())
	case reflect.Pointer:
		if v.IsNil() {
			v, known = reflect.New(v.Type().Elem()), false
		}
		flatten(v.Elem(), name, known, add)
	case reflect.Struct:
		for field, value := range v.Fields() {
			part, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			flatten(value, strings.Trim(name+"_"+part, "_"), known, add)
		}
	default:
		text := ""
		if known && v.CanFloat() {
			text = strconv.FormatFloat(v.Float(), 'f', -1, 64)
		} else if known {
			text = strconv.FormatInt(v.Int(), 10)
		}
		add(name, text)
	}
}

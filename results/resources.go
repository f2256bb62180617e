package results

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/atomicfile"
)

// Resources is the content of resources.json: what the process and the machine
// did in each interval of the cell, in order. The intervals are those of
// intervals.hlog.
type Resources struct {
	Schema    string  `json:"schema"` // ResourcesSchema
	Intervals []Usage `json:"intervals"`
}

// A UsageWriter writes resources.json and resources.csv, an interval at a time: of a
// day's run nothing is kept in memory. The table is for spreadsheets: it has a column
// for each field, named as in JSON with its parts joined by _, and a row for each
// interval. What is unknown is empty. It is used by one goroutine at a time.
type UsageWriter struct {
	json, csv *atomicfile.File
	table     *csv.Writer
	rows      int
	err       error // of what cannot be written in JSON; a file keeps its own
}

// CreateUsage begins both files. They have their names after Close.
func (f *CellFolder) CreateUsage() (*UsageWriter, error) {
	text, err := atomicfile.Create(filepath.Join(f.dir, ResourcesFile))
	if err != nil {
		return nil, err
	}
	table, err := atomicfile.Create(filepath.Join(f.dir, ResourcesTable))
	if err != nil {
		text.Discard()
		return nil, err
	}
	w := &UsageWriter{json: text, csv: table, table: csv.NewWriter(table)}
	w.print("{\n  \"schema\": %q,\n  \"intervals\": [", ResourcesSchema)
	var header []string
	flatten(reflect.ValueOf(Usage{}), "", true, func(name, _ string) { header = append(header, name) })
	w.row(header)
	return w, nil
}

// Write adds an interval. Close returns what went wrong.
func (w *UsageWriter) Write(u Usage) {
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

// Close ends both files.
func (w *UsageWriter) Close() error {
	end := "\n  ]\n}\n"
	if w.rows == 0 {
		end = "]\n}\n"
	}
	w.print("%s", end)
	w.table.Flush()
	if w.err != nil {
		w.Discard()
		return fmt.Errorf("writing %s: %w", ResourcesFile, w.err)
	}
	return cmp.Or(w.json.Commit(), w.csv.Commit()) // the other has the same cause
}

// Discard removes both files.
func (w *UsageWriter) Discard() {
	w.json.Discard()
	w.csv.Discard()
}

// print and row leave errors to Commit.
func (w *UsageWriter) print(format string, args ...any) { _, _ = fmt.Fprintf(w.json, format, args...) }
func (w *UsageWriter) row(fields []string)              { _ = w.table.Write(fields) }

// ReadUsage reads resources.json. A cell of an earlier version has none: the
// error is then fs.ErrNotExist.
func (f *CellFolder) ReadUsage() ([]Usage, error) {
	var r Resources
	err := readJSON(filepath.Join(f.dir, ResourcesFile), &r, &r.Schema, ResourcesSchema, mostResources)
	return r.Intervals, err
}

// flatten calls add with the name and the value of each number in v, in order. A
// nil pointer stands for numbers that are not known: their values are empty.
func flatten(v reflect.Value, name string, known bool, add func(name, text string)) {
	switch v.Kind() { //nolint:exhaustive // a Usage has no others
	case reflect.Pointer:
		if v.IsNil() {
			v, known = reflect.New(v.Type().Elem()), false
		}
		flatten(v.Elem(), name, known, add)
	case reflect.Struct:
		for field, value := range v.Fields() {
			part, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			flatten(value, strings.TrimPrefix(name+"_"+part, "_"), known, add)
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

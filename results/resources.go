package results

import (
	"encoding/csv"
	"io"
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

// SaveUsage writes resources.json and, for spreadsheets, resources.csv. The table
// has a column for each field, named as in JSON with its parts joined by _, and a
// row for each interval. What is unknown is empty.
func (f *CellFolder) SaveUsage(intervals []Usage) error {
	table := func(w io.Writer) error { return csv.NewWriter(w).WriteAll(usageTable(intervals)) }
	if err := atomicfile.Write(filepath.Join(f.dir, ResourcesTable), table); err != nil {
		return err
	}
	if intervals == nil {
		intervals = []Usage{} // [], not null
	}
	return writeJSON(filepath.Join(f.dir, ResourcesFile), Resources{ResourcesSchema, intervals})
}

// ReadUsage reads resources.json. A cell of an earlier version has none: the
// error is then fs.ErrNotExist.
func (f *CellFolder) ReadUsage() ([]Usage, error) {
	var r Resources
	err := readJSON(filepath.Join(f.dir, ResourcesFile), &r, &r.Schema, ResourcesSchema)
	return r.Intervals, err
}

// usageTable returns the header and the rows of resources.csv.
func usageTable(intervals []Usage) [][]string {
	rows := [][]string{columns(reflect.TypeFor[Usage](), "", nil)}
	for _, u := range intervals {
		rows = append(rows, cells(reflect.ValueOf(u), nil))
	}
	return rows
}

// columns appends the JSON names of a struct's fields, those of a struct within
// it behind its own name.
func columns(t reflect.Type, prefix string, names []string) []string {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			names = columns(inner, prefix+name+"_", names)
		} else {
			names = append(names, prefix+name)
		}
	}
	return names
}

// cells appends the values of the columns; those of a nil pointer are empty.
func cells(v reflect.Value, row []string) []string {
	switch v.Kind() { //nolint:exhaustive // a Usage has no others
	case reflect.Struct:
		for _, field := range v.Fields() {
			row = cells(field, row)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return append(row, make([]string, leaves(v.Type().Elem()))...)
		}
		row = cells(v.Elem(), row)
	case reflect.Float64:
		row = append(row, strconv.FormatFloat(v.Float(), 'f', -1, 64))
	default:
		row = append(row, strconv.FormatInt(v.Int(), 10))
	}
	return row
}

// leaves returns how many columns a type has.
func leaves(t reflect.Type) int {
	if t.Kind() != reflect.Struct {
		return 1
	}
	return len(columns(t, "", nil))
}

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
	err := readJSON(filepath.Join(f.dir, ResourcesFile), &r, &r.Schema, ResourcesSchema, mostResources)
	return r.Intervals, err
}

// usageTable returns the header and the rows of resources.csv.
func usageTable(intervals []Usage) [][]string {
	var header []string
	flatten(reflect.ValueOf(Usage{}), "", true, func(name, _ string) { header = append(header, name) })
	rows := [][]string{header}
	for _, u := range intervals {
		row := make([]string, 0, len(header))
		flatten(reflect.ValueOf(u), "", true, func(_, text string) { row = append(row, text) })
		rows = append(rows, row)
	}
	return rows
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

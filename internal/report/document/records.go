package document

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Records returns a table for programs, with a row for each value. Each column is
// "name=Path": the path leads from a value through fields to what the column holds, such as
// "p50_ns=Response/Percentiles/50/ValueNS". In a slice a number leads to the element whose field
// Percentile it is, and # is the slice's length. A column that ends in "?" is empty if its value
// is zero. A spec may hold several columns, separated by spaces.
//
// A nil pointer, or an element that a slice does not have, is empty. A float has as many digits as it
// needs, a time is written as RFC 3339, a duration in nanoseconds, and a slice with
// spaces between its elements. Records panics if a path does not exist.
func Records[T any](values []T, specs ...string) Table {
	var t Table
	var paths []string
	for _, column := range strings.Fields(strings.Join(specs, " ")) {
		name, path, _ := strings.Cut(column, "=")
		t.Head, paths = append(t.Head, name), append(paths, path)
	}
	for _, value := range values {
		row := make([]string, len(paths))
		for i, path := range paths {
			path, omitZero := strings.CutSuffix(path, "?")
			row[i] = record(follow(reflect.ValueOf(value), path), omitZero)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// follow returns the value at the end of a path; the zero Value if it does not exist.
func follow(v reflect.Value, path string) reflect.Value {
	for name := range strings.SplitSeq(path, "/") {
		v = pointed(v)
		switch {
		case !v.IsValid():
			return v
		case v.Kind() != reflect.Slice:
			if v = v.FieldByName(name); !v.IsValid() {
				panic(fmt.Sprintf("document: no field %s, of %s", name, path))
			}
		case name == "#":
			v = reflect.ValueOf(v.Len())
		default:
			percentile, err := strconv.ParseFloat(name, 64)
			if err != nil {
				panic(fmt.Sprintf("document: %s is not a percentile, of %s", name, path))
			}
			v = elementAt(v, percentile)
		}
	}
	return pointed(v)
}

// elementAt returns the element of a slice for a percentile; the zero Value if there is none.
func elementAt(slice reflect.Value, percentile float64) reflect.Value {
	for i := range slice.Len() {
		if slice.Index(i).FieldByName("Percentile").Float() == percentile {
			return slice.Index(i)
		}
	}
	return reflect.Value{}
}

// pointed follows pointers; the zero Value stands for nil.
func pointed(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// record writes a field.
func record(v reflect.Value, omitZero bool) string {
	if !v.IsValid() || omitZero && v.IsZero() {
		return ""
	}
	if at, ok := v.Interface().(time.Time); ok {
		return at.Format(time.RFC3339)
	}
	switch {
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.Kind() == reflect.Slice:
		return strings.Trim(fmt.Sprint(v.Interface()), "[]")
	}
	return fmt.Sprint(v.Interface())
}

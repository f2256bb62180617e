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
// is zero, and one that ends in a verb, such as %.4g, is written with it. A spec may hold several
// columns, separated by spaces.
//
// A nil pointer, or an element that a slice does not have, is empty. A float has as many digits as it
// needs, a time is written as RFC 3339, and a slice with spaces between its elements. A duration is in
// nanoseconds, or in seconds if the name ends in "_s". Records panics if a path does not exist.
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
			path, verb, _ := strings.Cut(path, "%")
			v := follow(reflect.ValueOf(value), path)
			switch {
			case !v.IsValid() || omitZero && v.IsZero():
			case verb != "":
				row[i] = fmt.Sprintf("%"+verb, v.Interface())
			default:
				row[i] = record(v, strings.HasSuffix(t.Head[i], "_s"))
			}
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

func record(v reflect.Value, seconds bool) string {
	switch value := v.Interface().(type) {
	case time.Time:
		return value.Format(time.RFC3339)
	case time.Duration:
		if seconds {
			return strconv.FormatFloat(value.Seconds(), 'f', 1, 64)
		}
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

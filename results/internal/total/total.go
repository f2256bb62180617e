// Package total adds up structs of numbers that may be unknown.
package total

import "reflect"

// A Sum is the sum of structs of one type:
//
//   - floats are added with a weight;
//   - of integers with the tag total:"max" the largest counts, others are added;
//   - a nil pointer is unknown, and so is the sum if any of its terms is;
//   - of texts the last counts.
//
// The zero value is the sum of none.
type Sum[T any] struct{ value *T }

// Add adds a struct.
func (s *Sum[T]) Add(v T, weight float64) {
	if s.value == nil {
		s.value = new(T)
		known(reflect.ValueOf(s.value).Elem())
	}
	add(reflect.ValueOf(s.value).Elem(), reflect.ValueOf(v), "", weight)
}

// Value returns the sum of one struct or more.
func (s *Sum[T]) Value() T { return *s.value }

// Of returns the sum of two structs with a weight of 1.
func Of[T any](a, b T) T {
	var s Sum[T]
	s.Add(a, 1)
	s.Add(b, 1)
	return s.Value()
}

// known sets all pointers in v to zero values.
func known(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the others are known
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		known(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			known(field)
		}
	}
}

// add adds u to sum. Total is the tag of the field.
func add(sum, u reflect.Value, total string, weight float64) {
	switch sum.Kind() { //nolint:exhaustive // the others are texts
	case reflect.Struct:
		for i := range sum.NumField() {
			add(sum.Field(i), u.Field(i), sum.Type().Field(i).Tag.Get("total"), weight)
		}
	case reflect.Pointer:
		if sum.IsNil() || u.IsNil() {
			sum.SetZero()
			return
		}
		add(sum.Elem(), u.Elem(), total, weight)
	case reflect.Float64:
		sum.SetFloat(sum.Float() + u.Float()*weight)
	case reflect.Int64:
		if total == "max" {
			sum.SetInt(max(sum.Int(), u.Int()))
			return
		}
		sum.SetInt(sum.Int() + u.Int())
	default:
		sum.Set(u)
	}
}

package results

import "slices"

// Whole returns what of a list is of cells that were not interrupted, and the whole list
// if there are none: what a part of a window says is not what the others say.
func Whole[T any](list []T, cell func(T) *Cell) []T {
	var whole []T
	for _, one := range list {
		if !cell(one).Interrupted {
			whole = append(whole, one)
		}
	}
	if len(whole) == 0 {
		return slices.Clone(list)
	}
	return whole
}

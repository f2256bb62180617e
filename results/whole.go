package results

import "slices"

// Whole returns the elements of cells that were not interrupted, or the whole list if all
// were: numbers of a part of a window are not comparable with those of whole windows.
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

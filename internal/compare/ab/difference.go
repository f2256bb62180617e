package ab

import (
	"cmp"
	"slices"
	"strings"
)

// Difference returns the words and options that only one side has: "acks=1 → acks=all". A side
// without any has a dash; equal sides differ in "nothing".
func (r *Result) Difference() string {
	a, b := options(r.A.Run), options(r.B.Run)
	if slices.Equal(a, b) {
		return "nothing"
	}
	return without(a, b) + " → " + without(b, a)
}

// options returns the words of a request, with the options of a URL as words of their own.
func options(run string) []string {
	return strings.FieldsFunc(run, func(r rune) bool { return strings.ContainsRune(" ?&", r) })
}

func without(list, other []string) string {
	own := slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(other, w) })
	return cmp.Or(strings.Join(own, " "), "–")
}

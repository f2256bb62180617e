// Package suggest finds what a mistyped word was meant to be.
package suggest

import "strings"

// For returns the candidate that is closest to word. Ok is false if none is close
// enough to show: at most a third of the letters may differ, or word must be its
// beginning. Case does not count.
func For(word string, candidates []string) (best string, ok bool) {
	word = strings.ToLower(word)
	bestDistance := max(1, len(word)/3) + 1
	for _, c := range candidates {
		if d := distanceOrPrefix(word, strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != "" && word != ""
}

// distanceOrPrefix returns the distance of word and candidate, or 1 if word is the
// beginning of candidate.
func distanceOrPrefix(word, candidate string) int {
	if word != candidate && strings.HasPrefix(candidate, word) {
		return 1
	}
	return distance(word, candidate)
}

// Hint returns ` (did you mean "best"?)`, or "" if no candidate is close.
func Hint(word string, candidates []string) string {
	if best, ok := For(word, candidates); ok {
		return ` (did you mean "` + best + `"?)`
	}
	return ""
}

// distance is the Damerau-Levenshtein distance of a and b (optimal string
// alignment): insertions, deletions, substitutions and swaps of neighbours.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

//go:build race

package compare_test

// underRace tells that the race detector is on, which has nothing to find in one
// goroutine and makes the statistical tests ten times slower.
const underRace = true

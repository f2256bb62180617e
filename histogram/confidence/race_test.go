//go:build race

package confidence

// underRace tells that the race detector is on, which has nothing to find in one
// goroutine and makes TestCoverage ten times slower.
const underRace = true

//go:build race

package confidence

// underRace says that the race detector is on. It has nothing to find in one goroutine
// and makes TestCoverage ten times slower.
const underRace = true

//go:build race

package html_test

// underRace tells that the race detector is on, which has nothing to find in one
// goroutine and makes a thousand cells take minutes.
const underRace = true

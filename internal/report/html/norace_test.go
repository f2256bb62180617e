//go:build !race

package html_test

// underRace tells that the race detector is on.
const underRace = false

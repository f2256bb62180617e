//go:build !race

package html_test

const underRace = false

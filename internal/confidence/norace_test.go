//go:build !race

package confidence

const underRace = false

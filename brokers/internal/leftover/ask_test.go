package leftover

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestAskGoesOnUntilManyAreMissing(t *testing.T) {
	const run = "20200101t000000-0000abcd"
	there := []string{run + ".0", run + "-2.70", run + "-2.10", run + "-20.0"}
	names := func(run string, conn int) []string { return []string{fmt.Sprintf("%s.%d", run, conn)} }
	inspect := func(name string) (string, bool, error) { return "", slices.Contains(there, name), nil }
	for _, tt := range []struct {
		of, asked string
		found     int
	}{
		{run, "cells 0 to 10, and of each for connections 0 to 63 at least", 3}, // not of cell 20
		{run + "-2", "connections 0 to 134 of cell " + run + "-2", 2},
		{run + "-20", "connections 0 to 64 of cell " + run + "-20", 1},
	} {
		things, asked, err := Ask(tt.of, "queue", names, inspect)
		if err != nil || len(things) != tt.found || asked != tt.asked {
			t.Errorf("%s: %d things, asked for %s, %v; want %d, %s", tt.of, len(things), asked, err, tt.found, tt.asked)
		}
	}
	errAway := errors.New("away")
	if _, _, err := Ask(run, "queue", names, func(string) (string, bool, error) { return "", false, errAway }); !errors.Is(err, errAway) {
		t.Error(err)
	}
}

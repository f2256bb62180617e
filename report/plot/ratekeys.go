package plot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// maxNamed is how many cells are named in a line.
const maxNamed = 4

// verdicts names the cells that are not valid.
func verdicts(ladders []Ladder) (keys []entry) {
	for _, verdict := range []results.Verdict{results.Invalid, results.Suspect} {
		var cells []string
		n, count := 0, 0
		for _, l := range ladders {
			n += len(l.Cells)
			for _, c := range l.Cells {
				if c.Verdict == verdict {
					count++
					cells = append(cells, fmt.Sprintf("%s at %v", l.Name, c.Plan.Shape.Rate))
				}
			}
		}
		cells = slices.Compact(cells) // repeats
		text := strings.ToUpper(string(verdict)) + ": " + strings.Join(cells, ", ")
		switch {
		case count == n:
			text = strings.ToUpper(string(verdict)) + ": every cell"
		case len(cells) > maxNamed:
			text = fmt.Sprintf("%s: %d of %d cells", strings.ToUpper(string(verdict)), count, n)
		}
		if len(cells) > 0 {
			keys = append(keys, entry{text: text})
		}
	}
	return keys
}

// rateKeys explains the signs that are drawn, and no others.
func rateKeys(ladders []Ladder) (keys []entry) {
	var few, invalid, unknown, bars, repeats bool
	for _, l := range ladders {
		repeats = repeats || len(l.rungs()) < len(l.Cells)
		for _, c := range l.Cells {
			for _, p := range ratePercentiles() {
				_, row, known := point(c, p)
				_, _, bounded := bounds(row)
				unknown, bars = unknown || !known, bars || bounded
				invalid = invalid || known && c.Verdict == results.Invalid
				few = few || known && c.Verdict != results.Invalid && !row.Usable()
			}
		}
	}
	explain(&keys, bars, entry{text: "vertical bars: 95 % confidence"})
	explain(&keys, repeats, entry{text: "other repeats of the rate", dot: speck})
	explain(&keys, few, entry{text: "of limited use", dot: hollow})
	explain(&keys, invalid, entry{text: "the cell is INVALID", dot: cross})
	explain(&keys, unknown, entry{text: "no dot: unknown, messages are missing"})
	return keys
}

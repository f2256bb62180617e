package answer

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// causeSentences says in one line what the worst messages of a target have in common: the cause that was found in the
// most repeats, as in the first of them. Without a cause it says nothing.
func causeSentences(target string, repeats []*results.Cell) []string {
	if repeats[0].OfSize > 1 || repeats[0].Plan.Shape.Section > 1 {
		return nil // said with the first
	}
	found := make(map[string]int)
	var first *cause.Cause
	for _, c := range repeats {
		if c.Causes == nil || len(c.Causes.Causes) == 0 {
			continue
		}
		one := &c.Causes.Causes[0]
		found[one.Name()]++
		if first == nil || found[one.Name()] > found[first.Name()] {
			first = one
		}
	}
	if first == nil {
		return nil
	}
	in := ""
	if len(repeats) > 1 {
		in = fmt.Sprintf(" (so in %d of %s; brokerbench why shows all)", found[first.Name()], words.Plural(len(repeats), "repeat"))
	}
	return []string{fmt.Sprintf("%s: %s%s.", target, first.Text(), in)}
}

package answer_test

import (
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/results"
)

// The answer names the cause that most repeats of a target have in one line, and is silent without one.
func TestTheAnswerNamesACause(t *testing.T) {
	with := func(name string, coincide int) func(*results.Cell) {
		return func(c *results.Cell) {
			c.Causes = &cause.Causes{Verdict: cause.Found, Causes: []cause.Cause{{Cause: name, Where: "2", Coincide: coincide, Pauses: 40, Expected: 2.13}}}
		}
	}
	none := func(c *results.Cell) { c.Causes = &cause.Causes{Verdict: cause.None} }
	for _, tt := range []struct {
		cells []*results.Cell
		want  []string
	}{
		{[]*results.Cell{cell("a", 1, 1), cell("a", 2, 1, none)}, nil},
		{
			[]*results.Cell{cell("a", 1, 1, with(cause.Throttled, 31))},
			[]string{"a: 31 of the 40 worst pauses coincide with throttling by a CPU quota on node 2; 2.1 expected by chance."},
		},
		{
			[]*results.Cell{cell("a", 1, 1, with(cause.Stopped, 9)), cell("a", 2, 1, with(cause.Throttled, 31)), cell("a", 3, 1, with(cause.Throttled, 20)), cell("a", 4, 1)},
			[]string{"a: 20 of the 40 worst pauses coincide with throttling by a CPU quota on node 2; 2.1 expected by chance (so in 2 of 4 repeats; brokerbench why shows all)."},
		},
	} {
		if got := of(tt.cells).Shapes[0].Causes; !slices.Equal(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

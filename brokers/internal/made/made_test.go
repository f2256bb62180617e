package made_test

import (
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/made"
)

func TestNames(t *testing.T) {
	var n made.Names
	n.Remove("a")
	for _, name := range []string{"a", "b", "a", "c"} {
		n.Add(name)
	}
	before := n.All()
	n.Remove("b")
	if got := n.All(); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("names %v, want a and c", got)
	}
	if !slices.Equal(before, []string{"a", "b", "c"}) {
		t.Errorf("names of before %v", before)
	}
}

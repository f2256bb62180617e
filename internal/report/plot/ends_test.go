package plot

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Names stand at their lines, or as near as the others let them.
func TestApart(t *testing.T) {
	for _, tt := range []struct{ heights, want []vg.Length }{
		{nil, nil},
		{[]vg.Length{10, 50}, []vg.Length{10, 50}},
		{[]vg.Length{20, 20, 20}, []vg.Length{10, 20, 30}},
		{[]vg.Length{20, 24, 60}, []vg.Length{17, 27, 60}},
		{[]vg.Length{10, 20, 21}, []vg.Length{7, 17, 27}},
		{[]vg.Length{90, 99, 100}, []vg.Length{80, 90, 100}},
	} {
		if got := apart(slices.Clone(tt.heights), 10, 100); !slices.Equal(got, tt.want) {
			t.Errorf("apart(%v) = %v, want %v", tt.heights, got, tt.want)
		}
	}
}

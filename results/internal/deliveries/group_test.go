package deliveries

import "testing"

func TestIdle(t *testing.T) {
	groups := []Group{{Number: 0, Members: []int64{5, 0, 0}}, {Number: 1, Members: []int64{1, 0, 2}}}
	if got, want := Idle(groups), " Idle, without a message: g0m1, g0m2, g1m1."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Idle([]Group{{Members: []int64{1}}}); got != "" {
		t.Errorf("%q, want none", got)
	}
}

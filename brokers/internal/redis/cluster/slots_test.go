package cluster

import "testing"

func TestSlot(t *testing.T) {
	for key, want := range map[string]int{"123456789": 0x31C3, "foo": 12182, "": 0} { // the first is of the specification
		if got := Slot(key); got != want {
			t.Errorf("%q: %d, want %d", key, got, want)
		}
	}
}

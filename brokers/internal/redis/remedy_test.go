package redis

import (
	"errors"
	"fmt"
	"testing"
)

// In a cluster a slot moves, and its scheme is the right one already.
func TestRemediesOfASlotThatMoves(t *testing.T) {
	moved := errors.New("MOVED 2103 127.0.0.1:45369")
	for url, want := range map[string]string{
		"redis+cluster://h?stream=read": slotMoves,
		"redis://h?stream=read":         "this server is a node of a cluster: use the scheme redis+cluster",
	} {
		if got := openURL(t, url).remedy(moved); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	replaced := fmt.Errorf("the slot has moved: %w: h1, not h2", errReplaced)
	if got := openURL(t, "redis+cluster://h?stream=read").remedy(replaced); got != slotMoves {
		t.Errorf("%q, want %q", got, slotMoves)
	}
}

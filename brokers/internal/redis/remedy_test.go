package redis

import (
	"errors"
	"fmt"
	"testing"
)

// In a cluster a slot moves, and its scheme is the right one already.
func TestRemediesOfASlotThatMoves(t *testing.T) {
	moved := errors.New("MOVED 2103 127.0.0.1:45369")
	replaced := fmt.Errorf("the slot has moved: %w: h1, not h2", errReplaced)
	for _, c := range []struct {
		url  string
		err  error
		want string
	}{
		{"redis+cluster://h?stream=read", moved, slotMoves},
		{"redis://h?stream=read", moved, "this server is a node of a cluster: use the scheme redis+cluster"},
		{"redis+cluster://h?stream=read", replaced, slotMoves},
		{"redis+sentinel://h/mymaster?stream=read", replaced, ""}, // it has no slots
	} {
		if got := openURL(t, c.url).remedy(c.err); got != c.want {
			t.Errorf("%s: %v: %q, want %q", c.url, c.err, got, c.want)
		}
	}
}

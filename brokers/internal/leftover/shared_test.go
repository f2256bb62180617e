package leftover

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestTheLastUserRemoves(t *testing.T) {
	made, fails, refused := 0, error(nil), errors.New("refused")
	s := &Shared{Made: Made{Kind: "stream", Name: "x", Delete: func(context.Context, string) error { return fails }}}
	use := func(u *Uses) {
		t.Helper()
		if err := u.Use(s, func() error { made++; s.Set(true); return refused }); !errors.Is(err, refused) {
			t.Errorf("use: %v", err)
		}
	}
	leave := func(u *Uses, want error, left ...string) {
		t.Helper()
		if err := u.Leave(t.Context()); !errors.Is(err, want) || !slices.Equal(s.Left(), left) {
			t.Errorf("leave: %v, left %v; want %v and %v", err, s.Left(), want, left)
		}
	}
	var one, two, never Uses
	use(&one)
	use(&two) // which gets the error of the first
	leave(&never, nil, "stream x")
	leave(&one, nil, "stream x")
	leave(&one, nil, "stream x") // it has left already
	fails = refused
	leave(&two, refused, "stream x")
	fails = nil
	leave(&two, nil)
	if use(&one); made != 2 {
		t.Errorf("made %d times, want once by each first user", made)
	}
}

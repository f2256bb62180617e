package safefile

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A disk has so much space; a write that needs more writes what it has space for.
type disk struct {
	strings.Builder

	space  int
	closed bool
}

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), d.space)
	d.space -= n
	_, _ = d.Builder.Write(p[:n])
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (d *disk) Close() error { d.closed = true; return nil }

func TestABacklogHoldsWhatDoesNotFit(t *testing.T) {
	d := &disk{space: 4}
	b := NewBacklog(d)
	for _, line := range []string{"one\n", "two\n", "three\n"} {
		if n, err := b.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%q: %d, %v", line, n, err)
		}
	}
	if !b.Held() || d.String() != "one\n" || !Full(b.Flush()) {
		t.Errorf("held %v, on disk %q", b.Held(), d)
	}
	d.space = 6 // in the middle of a line
	if _, err := b.Write([]byte("four\n")); err != nil {
		t.Error(err)
	}
	d.space = 100
	if err := b.Close(); err != nil || b.Held() || !d.closed || d.String() != "one\ntwo\nthree\nfour\n" {
		t.Errorf("%v, held %v, closed %v, on disk %q", err, b.Held(), d.closed, d)
	}
}

func TestABacklogIsBounded(t *testing.T) {
	d := new(disk)
	b := NewBacklog(d)
	if _, err := b.Write(make([]byte, mostHeld)); err != nil {
		t.Error(err)
	}
	if n, err := b.Write([]byte("x")); n != 0 || !Full(err) {
		t.Errorf("%d, %v", n, err)
	}
	d.space = 2 * mostHeld
	if err := b.Flush(); err != nil || d.Len() != mostHeld {
		t.Errorf("%v, %d bytes", err, d.Len())
	}
	if err := NewBacklog(broken{}).Close(); err != nil {
		t.Error(err)
	}
	if n, err := NewBacklog(broken{}).Write([]byte("x")); n != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("a disk that is broken, not full: %d, %v", n, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, syscall.EIO }
func (broken) Close() error              { return nil }

func TestRoomWaitsForSpace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		calls, begun := 0, time.Now()
		r := Room{Say: func(text string) { said = append(said, text) }}
		err := r.Wait(t.Context(), "/results", func() error {
			if calls++; calls < 4 {
				return syscall.ENOSPC
			}
			return syscall.EIO
		})
		if !errors.Is(err, syscall.EIO) || calls != 4 || time.Since(begun) != 3*roomEvery {
			t.Errorf("%v after %d calls and %v", err, calls, time.Since(begun))
		}
		if len(said) != 1 || !strings.HasPrefix(said[0], "/results: no space left on device: ") {
			t.Errorf("%q", said)
		}
	})
}

func TestRoomIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		giveUp := make(chan struct{})
		time.AfterFunc(5500*time.Millisecond, func() { close(giveUp) })
		for _, c := range []struct {
			ctx    context.Context
			giveUp chan struct{}
			after  time.Duration
		}{{t.Context(), giveUp, 5500 * time.Millisecond}, {ctx, nil, 90 * time.Second}} {
			err := Room{func(string) {}, c.giveUp}.Wait(c.ctx, "/results", func() error { return syscall.EDQUOT })
			if at := 90*time.Second - time.Until(deadline(ctx)); !errors.Is(err, syscall.EDQUOT) || at != c.after {
				t.Errorf("%v after %v, want %v", err, at, c.after)
			}
			if err := (Room{nil, c.giveUp}).Wait(c.ctx, "/results", func() error { return syscall.EDQUOT }); !Full(err) {
				t.Errorf("later: %v", err)
			}
		}
	})
}

func deadline(ctx context.Context) time.Time {
	at, _ := ctx.Deadline()
	return at
}

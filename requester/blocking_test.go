package requester_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

func TestBlockingTellsFailures(t *testing.T) {
	errNo := errors.New("no")
	f := requester.Blocking(func(_ context.Context, p []byte) ([]byte, error) {
		if len(p) == 20 {
			return nil, errNo
		}
		return p, nil
	})
	replies, causes := make(chan int, 1), make(chan error, 1)
	sink := requester.Replies(func(p []byte) { replies <- len(p) })
	sink.Failed = func(p []byte, cause error) {
		if len(p) != 20 {
			t.Errorf("failure of %d B, want 20", len(p))
		}
		causes <- cause
	}
	r, err := f.New(0, sink)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{16, 20, 17} {
		if err := r.Request(t.Context(), make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-replies:
			if got != size {
				t.Errorf("reply of %d B, want %d", got, size)
			}
		case cause := <-causes:
			if size != 20 || !errors.Is(cause, errNo) {
				t.Errorf("%d B failed: %v", size, cause)
			}
		}
	}
	if err := r.Teardown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBlockingOpensAndTearsDownEachConnection(t *testing.T) {
	errDown, opened, closed := errors.New("down"), 0, 0
	f := requester.BlockingFactory(func(conn int) (requester.Do, func() error, error) {
		if conn == 2 {
			return nil, nil, errDown
		}
		opened++
		echo := func(_ context.Context, p []byte) ([]byte, error) { return p, nil }
		return echo, func() error { closed++; return nil }, nil
	})
	for conn := range 3 {
		r, err := f.New(conn, requester.Replies(func([]byte) {}))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Setup(t.Context()); errors.Is(err, errDown) != (conn == 2) {
			t.Errorf("setting up connection %d: %v", conn, err)
		}
		for range 2 { // the second does nothing
			if err := r.Teardown(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if opened != 2 || closed != 2 {
		t.Errorf("%d opened, %d closed; want 2 and 2", opened, closed)
	}
}

// A call that does not end is ended by its context at Teardown.
func TestBlockingTeardownEndsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		f := requester.Blocking(func(ctx context.Context, p []byte) ([]byte, error) {
			if first {
				first = false
				return p, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})
		r, err := f.New(0, requester.Replies(func([]byte) {}))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.Request(t.Context(), make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := r.Teardown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

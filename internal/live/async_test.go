package live

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A reader that reads nothing until it is let.
type reader struct {
	let chan struct{}
	err error

	mu   sync.Mutex
	text strings.Builder
}

func (r *reader) Write(p []byte) (int, error) {
	<-r.let
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	return r.text.Write(p)
}

func (r *reader) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func TestATalkWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{let: make(chan struct{})}
		talk := NewAsyncWriter(r)
		start := time.Now()
		for i := range 100_000 {
			fmt.Fprintf(Progress(talk), "progress %d\n", i)
		}
		fmt.Fprintln(talk, "a problem")
		if time.Since(start) > 0 {
			t.Error("it waited")
		}
		talk.Flush(time.Second)
		if got := time.Since(start); got != time.Second {
			t.Errorf("Flush took %v", got)
		}
		talk.Flush(time.Second) // nothing was written since
		if got := time.Since(start); got != time.Second {
			t.Errorf("Flush took %v more", got-time.Second)
		}
		close(r.let)
		synctest.Wait()
		fmt.Fprintln(talk, "the end")
		talk.Flush(time.Second)
		got := r.String()
		if !strings.HasPrefix(got, "progress 0\n") || !strings.HasSuffix(got, "\na problem\nthe end\n") {
			t.Errorf("%d B, from %.30q to %q", len(got), got, got[len(got)-40:])
		}
		if len(got) > mostProgress+100 {
			t.Errorf("%d B were kept", len(got))
		}
	})
}

func TestATalkKeepsOnlySoMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{let: make(chan struct{})}
		talk := NewAsyncWriter(r)
		var err error
		for err == nil {
			_, err = fmt.Fprintln(talk, strings.Repeat("x", 99))
		}
		close(r.let)
		talk.Flush(time.Second)
		if !errors.Is(err, errDropped) || len(r.String()) > most || len(r.String())%100 != 0 {
			t.Errorf("%v, %d B", err, len(r.String()))
		}
	})
}

func TestATalkEndsWithItsReader(t *testing.T) {
	r := &reader{let: make(chan struct{}), err: io.ErrClosedPipe}
	talk := NewAsyncWriter(r)
	fmt.Fprintln(talk, "one")
	fmt.Fprintln(talk, "two")
	close(r.let)
	talk.Flush(time.Minute)
	if _, err := fmt.Fprintln(talk, "three"); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

func TestFlushWaitsForASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{let: make(chan struct{})}
		talk := NewAsyncWriter(r)
		go func() {
			for range 2 {
				time.Sleep(900 * time.Millisecond)
				r.let <- struct{}{}
			}
		}()
		fmt.Fprint(talk, "one ")
		fmt.Fprint(talk, "two")
		talk.Flush(time.Second)
		if got := r.String(); got != "one two" {
			t.Errorf("%q", got)
		}
	})
}

// A terminal that is stopped with Ctrl-S shows, when it goes on, what it would have
// shown: a frame that was left out moves no cursor.
func TestAStoppedTerminalShowsTheLastFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newTerminal(t, 40, 10)
		r := &reader{let: make(chan struct{})}
		talk := NewAsyncWriter(r)
		s := NewScreen(talk, v.size)
		for i := range 5000 {
			s.Draw([]string{fmt.Sprintf("frame %d", i), "line", "line"}[:1+i%3])
		}
		close(r.let)
		talk.Flush(time.Second)
		s.Draw([]string{"the last", "frame"})
		talk.Flush(time.Second)
		fmt.Fprint(v, r.String())
		wantShown(t, v, "the last", "frame")
	})
}

// A disk that is full for a moment loses what was written then, and no more.
func TestATalkGoesOnAfterAnErrorThatMayPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{let: make(chan struct{}), err: syscall.ENOSPC}
		close(r.let)
		talk := NewAsyncWriter(r)
		fmt.Fprint(talk, "lost ")
		talk.Flush(time.Second)
		r.mu.Lock()
		r.err = nil
		r.mu.Unlock()
		fmt.Fprint(talk, "kept")
		talk.Flush(time.Second)
		if got := r.String(); got != "kept" {
			t.Errorf("written: %q", got)
		}
	})
}

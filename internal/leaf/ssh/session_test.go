//go:build unix

package ssh

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain lets this test binary be the program on another machine.
func TestMain(m *testing.M) {
	if len(os.Args) != 2 || os.Args[1] != "answers" {
		m.Run()
		return
	}
	var fails atomic.Bool
	_ = Answer(os.Stdin, os.Stdout, "ready", time.Minute, func(text []byte) any {
		var q string
		_ = json.Unmarshal(text, &q)
		switch q {
		case "never":
			select {}
		case "fail":
			fails.Store(true)
		case "die":
			_, _ = io.WriteString(os.Stderr, "first\nit dies\n")
			os.Exit(3) //nolint:forbidigo // this process is the program
		}
		return strings.ToUpper(q)
	})
	if fails.Load() {
		_, _ = io.WriteString(os.Stderr, "it left something\n")
		os.Exit(1) //nolint:forbidigo // this process is the program
	}
}

// here opens a session with this machine, over an ssh that only runs the command.
func here(t *testing.T) *Session {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	command, _ := fake(t, `for last; do :; done; exec sh -c "$last"`)
	p, err := New(command, "")
	if err == nil {
		err = p.Install(t.Context(), "ssh://h")
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Open(t.Context(), "ssh://h", "answers")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Questions do not wait for each other, and one that nobody answers ends with its context.
func TestASessionAnswersSeveralQuestionsAtATime(t *testing.T) {
	s := here(t)
	if s.Ready != "ready" {
		t.Errorf("first line %q", s.Ready)
	}
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan error, 1)
	go func() { never <- s.Ask(ctx, "never", new(string)) }()
	for _, q := range []string{"one", "two\nlines"} {
		var a string
		if err := s.Ask(t.Context(), q, &a); err != nil || a != strings.ToUpper(q) {
			t.Errorf("%q: %q, %v", q, a, err)
		}
	}
	cancel()
	if err := <-never; !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "ssh://h: ") {
		t.Error(err)
	}
}

// The end of the program fails the questions that it has not answered, with its last line.
func TestASessionWhoseProgramDies(t *testing.T) {
	s := here(t)
	for range 2 {
		if err := s.Ask(t.Context(), "die", new(string)); err == nil || err.Error() != "ssh://h: exit status 3: it dies" {
			t.Error(err)
		}
	}
	if s.Alive() {
		t.Error("it is alive")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What a program could not do at its end is reported, once.
func TestASessionWhoseProgramFailsAtItsEnd(t *testing.T) {
	s := here(t)
	err := s.Ask(t.Context(), "fail", new(string))
	if err = errors.Join(err, s.Close()); err == nil || err.Error() != "ssh://h: exit status 1: it left something" {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The program ends if nothing is heard of the other side, which a connection that is cut does not say.
func TestAnswerEndsWhenTheOtherSideIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, ask := io.Pipe()
		answers, out := io.Pipe()
		begun, ended := time.Now(), make(chan error, 1)
		go func() {
			ended <- Answer(in, out, "ready", 20*time.Second, func(q []byte) any { return len(q) })
		}()
		lines := bufio.NewScanner(answers)
		lines.Scan()
		for range 3 {
			time.Sleep(15 * time.Second)
			_, _ = io.WriteString(ask, "\n")
		}
		_, _ = io.WriteString(ask, "7 four\n")
		if lines.Scan(); lines.Text() != "7 4" {
			t.Errorf("%q", lines.Text())
		}
		if err := <-ended; !errors.Is(err, ErrSilent) || time.Since(begun) != 65*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		_ = ask.Close() // what reads lines ends
	})
}

package child

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func startTCP(t *testing.T, cfg loopback.Config) *TCP {
	t.Helper()
	s, err := StartTCP(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect sets up a connection; when a reply comes, came has the moment.
func connect(t *testing.T, f requester.Factory) (c requester.Requester, came <-chan time.Time) {
	t.Helper()
	times := make(chan time.Time, 3)
	c, err := f.New(0, requester.Replies(func([]byte) { times <- time.Now() }))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Teardown(context.Background()) })
	return c, times
}

func TestConformance(t *testing.T) { requestertest.Run(t, startTCP(t, loopback.Config{})) }

// The whole configuration reaches the child.
func TestTheChildObeys(t *testing.T) {
	const ms = time.Millisecond
	s := startTCP(t, loopback.Config{Delay: 20 * ms, Freezes: []loopback.Freeze{{At: 0, For: 50 * ms}}})
	c, came := connect(t, s)
	begin := time.Now()
	if err := c.Request(t.Context(), make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	if took := (<-came).Sub(begin); took < 50*ms {
		t.Errorf("the reply came after %v, in the freeze", took)
	}
	if late, err := s.Late(); err != nil || late <= 0 {
		t.Errorf("late by %v, %v", late, err)
	}
}

// The record comes over the pipe, on a clock that both processes have.
func TestTheWitnessTellsItsRecord(t *testing.T) {
	s, err := StartWitness(loopback.Config{Delay: time.Millisecond}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop() }()
	c, came := connect(t, s)
	payload := make([]byte, 64)
	requester.Stamp{Seq: 1}.Put(payload)
	before := time.Now()
	if err := c.Request(t.Context(), payload); err != nil {
		t.Fatal(err)
	}
	after := <-came
	r, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Duration(loopback.WallOf(before) - r.Wall)
	notes := r.Notes.Since(begin)
	if at, left := notes.Came[1], notes.Left[1]; at < 0 || left < at+time.Millisecond || left > after.Sub(before)+100*time.Microsecond {
		t.Errorf("it came at %v and left at %v, within %v", at, left, after.Sub(before))
	}
	if notes.Came[0] != 0 || notes.Left[2] != 0 || notes.Unknown+notes.Again != 0 || r.Began-begin > notes.Came[1] {
		t.Errorf("%+v", r)
	}
}

func TestServeTCPRefuses(t *testing.T) {
	for config, want := range map[string]string{"{": "reading the configuration", `{"Delay":-1}`: "delay -1ns or pace 0s is negative"} {
		err := serveTCP(config, strings.NewReader(""), new(bytes.Buffer))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", config, err, want)
		}
	}
}

package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// Whether it hears Bye, or that the run is over as it reports: what it does ends, and its last
// beat says so.
func TestAnAgentSaysThatItHasEnded(t *testing.T) {
	for _, told := range []string{"bye", "over"} {
		t.Run(told, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, sends(time.Hour))
				s.begin(t.Context())
				s.prepare("1")
				s.wants("1", wire.Running)
				if told == "bye" {
					s.tell(wire.Order{Kind: wire.Bye})
				} else {
					s.mu.Lock()
					s.reply = wire.Reply{Over: true}
					s.mu.Unlock()
				}
				if took := s.end(nil); took > time.Second {
					t.Errorf("it took %v", took)
				}
				if b := s.last(); b.State != wire.Ended || b.Leaving {
					t.Errorf("the last beat is %+v", b)
				}
				if s.stored != 0 {
					t.Errorf("%d chunks of a result that nobody wants are in the stream", s.stored)
				}
			})
		})
	}
}

// A cut at that moment: the last beat is sent once the link is there again, or never.
func TestTheLastBeatIsSentAgain(t *testing.T) {
	for cut, want := range map[time.Duration]wire.State{time.Second: wire.Ended, time.Hour: wire.Idle} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, sends(time.Hour))
			s.begin(t.Context())
			s.wants("", wire.Idle)
			s.cut(true)
			s.tell(wire.Order{Kind: wire.Bye})
			defer time.AfterFunc(cut, func() { s.cut(false) }).Stop()
			if took := s.end(nil); took > answerTime+sendPause {
				t.Errorf("it took %v", took)
			}
			if b := s.last(); b.State != want {
				t.Errorf("cut for %v: the last beat is %+v, want %s", cut, b, want)
			}
		})
	}
}

// An agent that has a result says where it is kept.
func TestHowLongAnAgentWaitsForACoordinator(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*site)
		kept bool
	}{
		{"idle", func(s *site) { s.wants("", wire.Idle) }, false},
		{"delivered, and heard of", func(s *site) {
			s.prepare("1")
			s.wants("1", wire.Delivered)
			time.Sleep(time.Second)
		}, false},
		{"aborted", func(s *site) {
			s.prepare("1")
			s.wants("1", wire.Running)
			s.tell(wire.Order{Kind: wire.Forget, Key: "1"})
			s.wants("1", wire.Aborted)
		}, false},
		{"delivering", func(s *site) {
			s.full = true
			s.prepare("1")
			s.wants("1", wire.Done)
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, sends(time.Minute/2))
				s.begin(t.Context())
				tt.do(s)
				s.cut(true)
				begun := time.Now()
				err := <-s.ended
				if took := time.Since(begun); took < patience-time.Second || took > patience+time.Second {
					t.Errorf("it took %v, want %v: %v", took, patience, err)
				}
				if kept := new(Undelivered); err == nil || errors.As(err, &kept) != tt.kept {
					t.Errorf("%v; want a kept result: %v", err, tt.kept)
				}
			})
		})
	}
}

// Prepare, Start and the lease as without any trouble.
func TestATaskFromItsBeginningToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began time.Time
		s := newSite(t, func(ctx context.Context, task wire.Task, dir string, hooks Hooks) error {
			start, err := hooks.Ready(ctx)
			if err != nil {
				return err
			}
			time.Sleep(time.Until(start))
			began = time.Now()
			hooks.Progress(7, 5)
			hooks.Spanned(time.Second, 2*time.Second)
			return sends(time.Second)(ctx, task, dir, hooks)
		})
		s.begin(t.Context())
		s.prepare("1")
		s.wants("1", wire.Prepared)
		at := time.Now().Add(time.Second)
		s.tell(wire.Order{Kind: wire.Start, Key: "1", Start: at.Sub(s.agent.began)})
		s.wants("1", wire.Armed)
		s.wants("1", wire.Delivered)
		b := s.last()
		if !began.Equal(at) || b.Due != 7 || b.Done != 5 || b.Result.LastDoneNS != int64(2*time.Second) {
			t.Errorf("it began at %v, want %v; %+v", began, at, b)
		}
		s.prepare("2")
		s.wants("2", wire.Prepared)
		s.cut(true)
		time.Sleep(2 * lease)
		s.cut(false)
		s.wants("2", wire.Aborted)
		if b := s.last(); b.Error == "" {
			t.Errorf("%+v", b)
		}
		s.tell(wire.Order{Kind: wire.Bye})
		s.end(nil)
	})
}

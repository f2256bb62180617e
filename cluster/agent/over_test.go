package agent

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/cluster/wire"
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

// Who has a result waits for an hour; who has none, or knows that it was heard of, does not
// hold its machine for so long.
func TestHowLongAnAgentWaitsForACoordinator(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*site)
		want time.Duration
	}{
		{"idle", func(s *site) { s.wants("", wire.Idle) }, idlePatience},
		{"delivered, and heard of", func(s *site) {
			s.prepare("1")
			s.wants("1", wire.Delivered)
			time.Sleep(time.Second)
		}, idlePatience},
		{"aborted", func(s *site) {
			s.prepare("1")
			s.wants("1", wire.Running)
			s.tell(wire.Order{Kind: wire.Forget, Key: "1"})
			s.wants("1", wire.Aborted)
		}, idlePatience},
		{"delivering", func(s *site) {
			s.full = true
			s.prepare("1")
			s.wants("1", wire.Done)
		}, patience},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, sends(time.Minute/2))
				s.begin(t.Context())
				tt.do(s)
				s.cut(true)
				begun := time.Now()
				err := <-s.ended
				if took := time.Since(begun); took < tt.want-time.Second || took > tt.want+time.Second {
					t.Errorf("it took %v, want %v: %v", took, tt.want, err)
				}
				if err == nil || !strings.Contains(err.Error(), "no coordinator was heard of for") || strings.Contains(err.Error(), "is kept in") != (tt.want == patience) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// A coordinator that goes on hears of a result that nobody took, after most of an hour.
func TestAResultWaitsForACoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, sends(time.Minute))
		s.agent.link.alone() // its machine says that nobody is there: what is measured goes on
		s.begin(t.Context())
		s.prepare("1")
		s.wants("1", wire.Running)
		s.agent.link.alone()
		s.cut(true)
		time.Sleep(50 * time.Minute)
		s.cut(false)
		s.wants("1", wire.Delivered)
		s.tell(wire.Order{Kind: wire.Bye})
		s.end(nil)
	})
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
		if b := s.last(); !strings.Contains(b.Error, "its lease ended: nobody was heard of for 10s") {
			t.Errorf("%+v", b)
		}
		s.tell(wire.Order{Kind: wire.Bye})
		s.end(nil)
	})
}

package leader

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/requester"
)

// answers are those of a target that is asked who leads, by the number of the question.
type answers func(n int) (string, error)

func (a answers) watched(t *testing.T) (s cause.Samples) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		l := &Watch{finder: &asked{answers: a}}
		l.Begin(time.Now())
		time.Sleep(4500 * time.Millisecond)
		s.EndsNS = []int64{0, 1e9, 1e9, 1e9, 1e9}
		l.End(&s)
	})
	return s
}

type asked struct {
	answers

	n int
}

func (a *asked) Leadership(context.Context, int) (requester.Leadership, error) {
	a.n++
	leader, err := a.answers(a.n - 1)
	return requester.Leadership{Leader: leader}, err
}

// A change counts from the answer before it; a target that never answers is not known; nothing is said where none leads.
func TestLeaders(t *testing.T) {
	errRefused := errors.New("refused")
	s := answers(func(n int) (string, error) {
		if n == 1 {
			return "", errRefused
		}
		return []string{"a", "b"}[min(n/3, 1)], nil
	}).watched(t)
	if len(s.Series) != 1 || len(s.Missing) > 0 {
		t.Fatalf("got %+v", s)
	}
	for at := range s.Series[0].All() {
		if at != 2 {
			t.Errorf("there was a change in sample %d, want 2", at)
		}
	}
	if len(s.Series[0].Value) != 1 {
		t.Errorf("got %+v, want one change", s.Series[0])
	}
	if s := answers(func(int) (string, error) { return "", errRefused }).watched(t); len(s.Series) > 0 || len(s.Missing) != 1 || s.Missing[0].Cause != cause.Leader {
		t.Errorf("refused: got %+v", s)
	}
	if s := answers(func(int) (string, error) { return "", requester.ErrNoLeader }).watched(t); len(s.Series)+len(s.Missing) > 0 {
		t.Errorf("none leads: got %+v", s)
	}
}

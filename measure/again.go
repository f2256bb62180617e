package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A target has againLimit to say after the window which durability it backs. After faults it has
// recoveryLimit to back as much as before them: nodes return, and copies catch up.
const (
	againLimit    = 5 * time.Second
	recoveryLimit = 15 * time.Second
	againPause    = 400 * time.Millisecond
)

// examine asks the target which durability it backs after the window, and reads its store, at once: a
// target that is gone answers neither. After faults the audit follows, when the nodes have returned.
func (s *session) examine(mine func([]byte) (int, uint64, bool)) {
	if len(s.cell.Settings.Faults) > 0 {
		s.askAgain()
		s.audit.read(mine, nil)
		return
	}
	gone, asked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(asked)
		if !s.askAgain() {
			close(gone)
		}
	}()
	s.audit.read(mine, gone)
	<-asked
}

// askAgain asks the target again which durability it backs: its settings may have changed during the
// window. It does not ask if the level before it was none. It reports false if the time
// limit passed without an answer.
func (s *session) askAgain() (answered bool) {
	before := s.broker.Durability
	if before == nil || before.Promised() == requester.None {
		return true
	}
	limit := againLimit
	if len(s.cell.Settings.Faults) > 0 {
		limit = recoveryLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	answer := make(chan *requester.Backing, 1)
	go func() { answer <- s.durabilityAfter(ctx, *before) }()
	select {
	case s.broker.Durability = <-answer:
		return ctx.Err() == nil
	case <-time.After(limit + lastMoment):
		s.broker.Durability = before.After(nil, errAuditor.Error())
		return false
	case <-s.o.GiveUp:
		s.broker.Durability = before.After(nil, errGivenUp.Error())
	}
	return true
}

// durabilityAfter returns the durability after the window. After faults it asks until the level is
// that of before, or ctx ends.
func (s *session) durabilityAfter(ctx context.Context, before requester.Backing) *requester.Backing {
	d, _ := requester.As[requester.Describer](s.factory) // which gave before
	var after *requester.Backing
	for {
		described, err := d.Describe(ctx)
		switch {
		case described.Durability != nil: // err may say that it is less than the target asks for
			after = before.After(described.Durability, "")
		case after == nil || ctx.Err() == nil:
			after = before.After(nil, s.o.Redact(fmt.Sprint(err)))
		}
		if after.Withdrawn == "" && len(after.NotVerified) == len(before.NotVerified) || len(s.cell.Settings.Faults) == 0 {
			return after
		}
		select {
		case <-time.After(againPause):
		case <-ctx.Done():
			return after
		}
	}
}

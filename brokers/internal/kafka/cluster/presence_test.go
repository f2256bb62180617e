package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A question without an answer says nothing of a cluster that answered others while it waited.
func TestASlowClusterIsNotAway(t *testing.T) {
	const limit = 4 * time.Second
	var p Presence
	early, late := p.Ask(), p.Ask()
	p.Answered()
	early()
	if got := p.Patience(limit); got != limit {
		t.Errorf("after an answer to another question: patience %v, want %v", got, limit)
	}
	silent := p.Ask()
	silent()
	if got := p.Patience(limit); got != hasty {
		t.Errorf("after silence: patience %v, want %v", got, hasty)
	}
	late()
	if got := p.Patience(limit); got != hasty {
		t.Errorf("after an older question: patience %v, want %v", got, hasty)
	}
	p.Answered()
	if got := p.Patience(limit); got != limit {
		t.Errorf("after it came back: patience %v, want %v", got, limit)
	}
}

func TestACreationEndsByItselfOrIsAbandoned(t *testing.T) {
	for takes, abandoned := range map[time.Duration]bool{time.Second: false, 10 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // of a set-up that another connection has ended
			var c Creation
			created := false
			_ = c.Run(ctx, func(ctx context.Context) error {
				select {
				case <-time.After(takes):
					created = true
				case <-ctx.Done():
				}
				return ctx.Err()
			})
			begun := time.Now()
			c.End(4 * time.Second)
			if took := time.Since(begun); c.Abandoned() != abandoned || created == abandoned || took != min(takes, 4*time.Second) {
				t.Errorf("a creation of %v: abandoned %t, created %t, after %v", takes, c.Abandoned(), created, took)
			}
		})
	}
}

// Package leader asks a target each second which node leads, as a change may delay messages.
package leader

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/requester"
)

// every is the time between two questions to the target about its leader: each takes a connection. One that is not
// answered within limit is asked again.
const (
	every = time.Second
	limit = 2 * time.Second
)

// A Watch notes when another node leads. A nil Watch does nothing.
type Watch struct {
	finder  requester.LeaderFinder
	stop    context.CancelFunc
	asking  sync.WaitGroup
	changes [][2]time.Duration // from the start: between the last answer with one leader and the first with another
	known   bool               // somebody leads, or nobody can
	none    error              // why it is not known who leads
}

// New returns nil if the target cannot say who leads.
func New(f requester.Factory) *Watch {
	finder, ok := requester.As[requester.LeaderFinder](f)
	if !ok {
		return nil
	}
	return &Watch{finder: finder, stop: func() {}}
}

// Begin asks from now on; the schedule begins at start.
func (l *Watch) Begin(start time.Time) {
	if l == nil {
		return
	}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(context.Background())
	l.asking.Go(func() { l.watch(ctx, start) })
}

// watch asks until ctx ends, or the target says that nothing is led.
func (l *Watch) watch(ctx context.Context, start time.Time) {
	last, seen := "", time.Duration(0)
	for {
		asked := time.Since(start)
		now, err := l.ask(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, requester.ErrNoLeader):
			l.known, l.none = true, err
			return
		case err != nil:
			l.none = err
		case err == nil && now.Leader != "" && last != "" && now.Leader != last:
			l.changes = append(l.changes, [2]time.Duration{seen, time.Since(start)})
		}
		if err == nil && now.Leader != "" {
			l.known, l.none = true, nil
			last, seen = now.Leader, asked
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

func (l *Watch) ask(ctx context.Context) (requester.Leadership, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return l.finder.Leadership(ctx, 0)
}

// End ends the questions, and adds the changes to the samples.
func (l *Watch) End(to *cause.Samples) {
	if l == nil {
		return
	}
	l.stop()
	l.asking.Wait()
	switch {
	case !l.known && l.none != nil:
		to.Missing = append(to.Missing, cause.NotKnown{Cause: cause.Leader, Where: cause.Machine, Reason: "no node says that it leads, or may be asked"})
		return
	case errors.Is(l.none, requester.ErrNoLeader) || len(to.EndsNS) == 0:
		return
	}
	ends, at := make([]int64, len(to.EndsNS)), int64(0)
	for i, d := range to.EndsNS {
		at += d
		ends[i] = at
	}
	one := cause.Series{Cause: cause.Leader, Where: cause.Machine, Kind: cause.Count, Unit: "changes", Gaps: []int{}, Value: []int64{}}
	free := 0 // samples before it are taken
	for _, change := range l.changes {
		first := sort.Search(len(ends)-1, func(i int) bool { return ends[i+1] > int64(change[0]) })
		for i := first; i < len(ends)-1 && ends[i] < int64(change[1]); i++ {
			if i >= free {
				one.Put(i, 1)
				free = i + 1
			}
		}
	}
	to.Series = append(to.Series, one)
}

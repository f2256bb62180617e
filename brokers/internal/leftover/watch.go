package leftover

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// watchTime is how long Watch waits for new messages: the clocks of the writers may be wrong.
const watchTime = 2 * time.Second

// Seen is what a broker reveals of an object that holds messages.
type Seen struct {
	State string    // changes with each message
	Used  time.Time // when the newest message was written; zero: not known
}

// Watch looks twice at objects of a kind, by name. Those to which messages are written
// meanwhile are in use.
func Watch(ctx context.Context, kind string, look func() (map[string]Seen, error)) (things []requester.Leftover, err error) {
	before, err := look()
	if err != nil || len(before) == 0 {
		return nil, err
	}
	select {
	case <-time.After(watchTime):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	after, err := look()
	for _, name := range slices.Sorted(maps.Keys(after)) {
		thing := requester.Leftover{Kind: kind, Name: name, Used: after[name].Used}
		if after[name].State != before[name].State {
			thing.Busy = "messages arrive"
		}
		things = append(things, thing)
	}
	return things, err
}

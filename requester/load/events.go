package load

import (
	"fmt"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// maxEvents bounds an eventLog: a client that reconnects for an hour must not
// fill the memory. Later events are only counted, in the last entry.
const maxEvents = 100

// An eventLog collects what happens to a connection. The zero value is ready
// for use. It is safe for concurrent use.
type eventLog struct {
	mu      sync.Mutex
	events  []requester.Event
	dropped int
}

// add adds an event that happens now.
func (l *eventLog) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == maxEvents {
		l.dropped++
		return
	}
	l.events = append(l.events, requester.Event{At: time.Now(), Text: text})
}

// all returns a copy of the events, oldest first.
func (l *eventLog) all() []requester.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := append([]requester.Event(nil), l.events...)
	if l.dropped > 0 {
		last := events[len(events)-1].At
		events = append(events, requester.Event{At: last, Text: fmt.Sprintf("%d more events, not kept", l.dropped)})
	}
	return events
}

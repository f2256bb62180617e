package requester

import (
	"fmt"
	"sync"
	"time"
)

// maxEvents bounds an [EventLog]: a client that reconnects for an hour must not
// fill the memory. Later events are only counted, in the last entry.
const maxEvents = 100

// An EventLog collects events for a [Witness]; embed it. The zero value is ready
// for use. It is safe for concurrent use.
type EventLog struct {
	mu      sync.Mutex
	events  []Event
	dropped int
}

// Note adds an event that happens now.
func (l *EventLog) Note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == maxEvents {
		l.dropped++
		return
	}
	l.events = append(l.events, Event{At: time.Now(), Text: fmt.Sprintf(format, args...)})
}

// Events returns a copy of the events, oldest first. It implements [Witness].
func (l *EventLog) Events() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := append([]Event(nil), l.events...)
	if l.dropped > 0 {
		last := events[len(events)-1].At
		events = append(events, Event{At: last, Text: fmt.Sprintf("%d more events, not kept", l.dropped)})
	}
	return events
}

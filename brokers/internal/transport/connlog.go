package transport

import (
	"fmt"
	"sync"
	"time"
)

// A ConnLog reports what happens to a connection between Setup and Teardown, and keeps
// that readable: a client that tries to reconnect ten times a second makes three events,
// not ten a second. An outage is three events, however often the client tries: the loss, the first
// reason why it does not come back, and that it is back. The things that can be
// lost, such as brokers or sockets, have a name each. It is safe for concurrent
// use.
type ConnLog struct {
	event func(text string)

	mu      sync.Mutex
	active  bool
	outages map[string]*outage // by name
}

type outage struct {
	since  time.Time
	failed bool // a reason was noted
	alone  bool // nothing else was lost meanwhile
}

// NewConnLog returns a log that reports nothing before Begin. event takes the events.
func NewConnLog(event func(text string)) *ConnLog {
	return &ConnLog{event: event, outages: make(map[string]*outage)}
}

// Begin starts to note events: Setup has succeeded.
func (l *ConnLog) Begin() { l.setActive(true) }

// End stops it: what Teardown closes is not lost.
func (l *ConnLog) End() { l.setActive(false) }

func (l *ConnLog) setActive(active bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active = active
}

// Note notes any other event.
func (l *ConnLog) Note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.active {
		l.event(fmt.Sprintf(format, args...))
	}
}

// Lost begins an outage. It returns false, and notes nothing, if there is one.
func (l *ConnLog) Lost(name, format string, args ...any) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.active || l.outages[name] != nil {
		return false
	}
	for _, other := range l.outages {
		other.alone = false
	}
	l.outages[name] = &outage{since: time.Now(), alone: len(l.outages) == 0}
	l.event(fmt.Sprintf(format, args...))
	return true
}

// Failed notes why an attempt to reconnect did not succeed, once in an outage.
func (l *ConnLog) Failed(name, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if out := l.outages[name]; l.active && out != nil && !out.failed {
		out.failed = true
		l.event(fmt.Sprintf(format, args...))
	}
}

// Back ends an outage, if there is one, and adds to the event how long it took.
// alone tells whether nothing else was lost meanwhile.
func (l *ConnLog) Back(name, format string, args ...any) (alone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.outages[name]
	if !l.active || out == nil {
		return false
	}
	delete(l.outages, name)
	l.event(fmt.Sprintf(format+" after %v", append(args, time.Since(out.since).Round(time.Millisecond))...))
	return out.alone
}

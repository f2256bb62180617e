// Package notes keeps what happens to connections, and why ops failed.
package notes

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// maxEvents bounds a Log: a client that reconnects for an hour must not
// fill the memory. Later events are only counted, in the last entry.
const maxEvents = 100

// A Log collects what happens to a connection. The zero value is ready
// for use. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	events  []requester.Event
	dropped int
}

// Add adds an event that happens now.
func (l *Log) Add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) >= maxEvents {
		l.dropped++
		return
	}
	l.events = append(l.events, requester.Event{At: time.Now(), Text: text})
}

// Keep adds an event even if the log is full: one that happens once for each connection.
func (l *Log) Keep(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, requester.Event{At: time.Now(), Text: text})
}

// All returns a copy of the events, oldest first.
func (l *Log) All() []requester.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := append([]requester.Event(nil), l.events...)
	if l.dropped > 0 {
		last := events[len(events)-1].At
		events = append(events, requester.Event{At: last, Text: fmt.Sprintf("%d more events, not kept", l.dropped)})
	}
	return events
}

// maxCauses bounds how many different causes of failures are kept.
const maxCauses = 10

// localPort is the port of this side of a connection, as package net writes it in its errors
// ("read tcp 127.0.0.1:57108->127.0.0.1:5672: …"). Each connection has another one: with it,
// every attempt to connect would be a different cause.
var localPort = regexp.MustCompile(`:\d+->`)

// A Failure is one cause for which ops failed.
type Failure struct {
	Cause string `json:"cause"`
	Count int64  `json:"count"`
}

// Failures counts failed ops by cause. It is off the path of the ops that
// succeed.
type Failures struct {
	mu     sync.Mutex
	counts map[string]int64
}

// Add counts a failed op.
func (f *Failures) Add(cause error) {
	text := localPort.ReplaceAllString(cause.Error(), "->")
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.counts[text]; !known && len(f.counts) >= maxCauses {
		text = "other causes"
	}
	if f.counts == nil {
		f.counts = make(map[string]int64)
	}
	f.counts[text]++
}

// List returns the causes, the most frequent first.
func (f *Failures) List() []Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]Failure, 0, len(f.counts))
	for cause, count := range f.counts {
		list = append(list, Failure{cause, count})
	}
	slices.SortFunc(list, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause, b.Cause))
	})
	return list
}

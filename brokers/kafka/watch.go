package kafka

import (
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A watch notes what happens to the connections of a run, by franz-go's hooks. A
// client has several to each broker: they are told of as one. An outage is three
// events, however often the client tries: lost, the first reason why it does not
// come back, and back.
type watch struct {
	log *requester.EventLog

	mu        sync.Mutex
	active    bool
	lost      map[string]*outage // by the broker's address
	lastFetch string
}

type outage struct {
	since  time.Time
	reason bool // was noted
}

var (
	_ kgo.HookBrokerConnect    = (*watch)(nil)
	_ kgo.HookBrokerDisconnect = (*watch)(nil)
)

func newWatch(log *requester.EventLog) *watch {
	return &watch{log: log, lost: make(map[string]*outage)}
}

func (w *watch) begin() { w.setActive(true) }
func (w *watch) end()   { w.setActive(false) }

func (w *watch) setActive(active bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = active
}

// OnBrokerDisconnect implements [kgo.HookBrokerDisconnect].
func (w *watch) OnBrokerDisconnect(meta kgo.BrokerMetadata, _ net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.active || w.lost[address(meta)] != nil {
		return
	}
	w.lost[address(meta)] = &outage{since: time.Now()}
	w.log.Note("disconnected from broker %s", address(meta))
}

// OnBrokerConnect implements [kgo.HookBrokerConnect]. It is also called, with
// the error, for an attempt that did not succeed.
func (w *watch) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.lost[address(meta)]
	if !w.active || out == nil {
		return
	}
	if err == nil {
		delete(w.lost, address(meta))
		w.log.Note("connected to broker %s again after %v", address(meta), time.Since(out.since).Round(time.Millisecond))
	} else if !out.reason {
		out.reason = true
		w.log.Note("connecting to broker %s: %v", address(meta), err)
	}
}

// fetchError notes what the consumer could not retry by itself, once in a row.
func (w *watch) fetchError(topic string, partition int32, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf("fetching from topic %s, partition %d: %v", topic, partition, err)
	if w.active && text != w.lastFetch {
		w.lastFetch = text
		w.log.Note("%s", text)
	}
}

func address(meta kgo.BrokerMetadata) string {
	return net.JoinHostPort(meta.Host, fmt.Sprint(meta.Port))
}

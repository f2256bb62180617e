package kafka

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/twmb/franz-go/pkg/kgo"
)

// hooks are called by franz-go when something happens to a connection. A client has several
// sockets to each broker: they count as one.
type hooks struct {
	*transport.ConnLog
	lastFetch string                // the error of the last failed fetch
	lastDial  atomic.Pointer[error] // of the last attempt to connect; nil if it succeeded
	session   atomic.Pointer[error] // why the client is no member of its group; nil if it may be one

	mu      sync.Mutex
	sockets []net.Conn // that are open
	dead    bool       // no other may open
}

var (
	_ kgo.HookBrokerConnect    = (*hooks)(nil)
	_ kgo.HookBrokerDisconnect = (*hooks)(nil)
)

// OnBrokerDisconnect implements [kgo.HookBrokerDisconnect].
func (h *hooks) OnBrokerDisconnect(meta kgo.BrokerMetadata, socket net.Conn) {
	h.mu.Lock()
	h.sockets = slices.DeleteFunc(h.sockets, func(other net.Conn) bool { return other == socket })
	h.mu.Unlock()
	h.Lost(address(meta), "disconnected from broker %s", address(meta))
}

// OnBrokerConnect implements [kgo.HookBrokerConnect]. It is also called, with
// the error, for an attempt that did not succeed.
func (h *hooks) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, socket net.Conn, err error) {
	if err == nil {
		h.opened(socket)
		h.lastDial.Store(nil)
		h.Back(address(meta), "connected to broker %s again", address(meta))
	} else {
		h.lastDial.Store(&err)
		h.Failed(address(meta), "connecting to broker %s: %v", address(meta), err)
	}
}

func (h *hooks) opened(socket net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sockets = append(h.sockets, socket); h.dead {
		_ = socket.Close()
	}
}

// die closes all sockets, and those that are opened later.
func (h *hooks) die() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dead = true
	for _, socket := range h.sockets {
		_ = socket.Close()
	}
}

// dialError returns why there is no connection, as far as is known: franz-go goes on
// trying and does not say why.
func (h *hooks) dialError() error {
	if err := h.lastDial.Load(); err != nil {
		return *err
	}
	return nil
}

// exhausted is called with the error when this process may open no more files.
// franz-go would try again and again, but only this process can change that.
type exhausted func(error)

// OnBrokerConnect implements [kgo.HookBrokerConnect].
func (e exhausted) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if noFiles(err) {
		e(err)
	}
}

// noFiles reports whether this process may open no more files.
func noFiles(err error) bool { return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) }

// fetchError notes an error that the consumer did not retry by itself. Repetitions
// in a row are one event. Only the goroutine that receives calls it.
func (h *hooks) fetchError(topic string, partition int32, err error) {
	if of := (*kgo.ErrGroupSession)(nil); errors.As(err, &of) {
		h.session.Store(&of.Err)
	}
	text := fmt.Sprintf("fetching from topic %s, partition %d: %v", topic, partition, err)
	if text != h.lastFetch {
		h.lastFetch = text
		h.Note("%s", text)
	}
}

func address(meta kgo.BrokerMetadata) string {
	return net.JoinHostPort(meta.Host, fmt.Sprint(meta.Port))
}

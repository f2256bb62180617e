package nats

import (
	"cmp"
	"errors"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/nats-io/nats.go"
)

// handlers are what nats.go calls when something happens to a connection, one after
// another.
type handlers struct {
	*transport.ConnLog
	wire    *wire
	refused chan error // takes the first asynchronous error of Setup
}

// theServer is the only thing that a connection can lose.
const theServer = "server"

var errNoReason = errors.New("no reason given")

func (h *handlers) options() []nats.Option {
	return []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			h.Lost(theServer, "disconnected: %v", cmp.Or(err, errNoReason))
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			h.Failed(theServer, "reconnecting: %v", cmp.Or(h.wire.refused(err), err))
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			h.wire.connected()
			h.Back(theServer, "reconnected to %s", nc.ConnectedAddr())
		}),
		nats.ClosedHandler(func(nc *nats.Conn) { h.Note("connection given up: %v", nc.LastError()) }),
		nats.LameDuckModeHandler(func(*nats.Conn) { h.Note("the server is about to shut down (lame duck mode)") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { h.asynchronous(err) }),
	}
}

// asynchronous takes errors that belong to no call, such as a missing permission
// or dropped messages.
func (h *handlers) asynchronous(err error) {
	select {
	case h.refused <- err: // Setup returns it if it is still probing
	default:
	}
	h.Note("%v", err)
}

package transport

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
)

// closeTimeout is how long the broker may take to confirm the end of a connection.
const closeTimeout = 2 * time.Second

// ErrBlocked means that the broker has raised an alarm, and reads nothing from publishers.
var ErrBlocked = errors.New("the broker takes no messages")

// A Socket is the socket under a connection of a client library, without TLS. Closing it ends whatever
// hangs on the connection: the libraries take no contexts, or do not always look at them.
type Socket struct{ raw net.Conn }

// During calls do, and cuts the connection if ctx ends before do returns.
func (s Socket) During(ctx context.Context, do func() error) error {
	defer context.AfterFunc(ctx, s.Cut)()
	err := do()
	if errors.Is(err, ErrBlocked) {
		return err
	}
	return target.Because(ctx, err)
}

// Cut closes the socket.
func (s Socket) Cut() { _ = s.raw.Close() }

// End calls the close of the client library, and cuts the connection if the broker does not
// confirm the close soon. Closing TLS would take up to 5 s.
func (s Socket) End(closeClient func() error) {
	defer time.AfterFunc(closeTimeout, s.Cut).Stop()
	_ = closeClient() // it fails only if the connection is lost, or was closed already
	s.Cut()
}

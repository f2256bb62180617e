package redis

import (
	"cmp"
	"context"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A held is a connection that go-redis has made, and whose socket is ours.
type held struct {
	socket net.Conn
	raw    net.Conn // the socket without TLS
	client *redis.Client
	conn   *redis.Conn // keeps go-redis from using the socket
}

// hold has go-redis make a connection through l and run prepare on it, then takes the
// socket over.
func (f *Factory) hold(ctx context.Context, l *line, prepare func(*redis.Conn) error) (*held, error) {
	client, err := f.dialled(ctx, l)
	if err != nil {
		return nil, err
	}
	h := &held{client: client, conn: client.EphemeralConn()}
	err = ping(ctx, h.conn)
	if err == nil && prepare != nil {
		err = prepare(h.conn)
	}
	if err != nil {
		h.close()
		return nil, cmp.Or(l.refused(), err)
	}
	l.settled()
	h.socket, h.raw = l.current()
	return h, h.socket.SetDeadline(time.Time{})
}

// ping proves a connection. A server that cannot write to its disk refuses even this,
// and answers what only reads.
func ping(ctx context.Context, client redis.Cmdable) error {
	err := client.Ping(ctx).Err()
	if err != nil && strings.HasPrefix(err.Error(), "MISCONF") {
		return nil
	}
	return err
}

// write writes in one write. An error ends the connection: the server may have a part
// of a command.
func (h *held) write(frame []byte) error {
	_, err := h.socket.Write(frame)
	if err != nil {
		_ = h.raw.Close() // ends who reads
	}
	return err
}

// close closes the connection.
func (h *held) close() {
	_ = h.conn.Close()
	_ = h.client.Close()
}

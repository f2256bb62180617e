package tcp

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// A Factory makes connections to a [Server]. It implements requester.Factory.
// Of a pointer to it that has taken a topology the connections are producers; see groups.go.
type Factory struct {
	Addr    string // host:port
	grouped bool   // connections get no replies
}

// New implements requester.Factory.
func (f Factory) New(_ int, sink requester.Sink) (requester.Requester, error) {
	c := &conn{addr: f.Addr, reply: sink.Reply, stop: func() bool { return true }}
	if !f.grouped {
		c.first = make([]byte, requester.StampSize)
		requester.Stamp{Seq: requester.ProbeSeq}.Put(c.first)
	}
	return c, nil
}

// conn is one connection.
type conn struct {
	addr  string
	reply func(payload []byte)
	first []byte // message that Setup sends and awaits; nil: none

	socket net.Conn
	head   [headSize]byte
	pieces [2][]byte // the head and the payload, for one writev
	vector net.Buffers
	ended  chan struct{} // closed when the reader has returned
	ctx    context.Context
	stop   func() bool // stops waiting for ctx
}

// Traits implements requester.Requester.
func (c *conn) Traits() requester.Traits { return requester.Traits{} }

// Setup connects, and sends the first message through the connection.
func (c *conn) Setup(ctx context.Context) error {
	var dialer net.Dialer
	socket, err := dialer.DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return fmt.Errorf("TCP system: %w", err)
	}
	c.socket = socket
	in := bufio.NewReaderSize(socket, 256<<10)
	if err := c.probe(ctx, in); err != nil {
		return fmt.Errorf("TCP system: probing %s: %w", c.addr, err)
	}
	c.ended = make(chan struct{})
	go c.read(in)
	return nil
}

func (c *conn) probe(ctx context.Context, in *bufio.Reader) error {
	defer context.AfterFunc(ctx, func() { _ = c.socket.SetDeadline(time.Unix(1, 0)) })()
	if c.first == nil {
		return nil
	}
	if _, err := c.socket.Write(appendFrame(nil, c.first)); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	if _, err := readFrame(in, nil); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	return ctx.Err()
}

// read delivers replies until the connection is closed.
func (c *conn) read(in *bufio.Reader) {
	defer close(c.ended)
	var buf []byte
	for {
		payload, err := readFrame(in, buf)
		if err != nil {
			return
		}
		c.reply(payload)
		buf = payload
	}
}

// Request writes length and payload in one system call. It allocates nothing.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	if err := c.obey(ctx); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(c.head[:], uint32(len(payload)))
	c.pieces = [2][]byte{c.head[:], payload}
	c.vector = c.pieces[:]
	_, err := c.vector.WriteTo(c.socket)
	c.pieces = [2][]byte{}
	return err
}

// obey ends a blocked write when ctx is done. All requests of a run have the same
// ctx, so that usually there is nothing to do.
func (c *conn) obey(ctx context.Context) error {
	if ctx == c.ctx {
		return nil
	}
	c.stop()
	c.ctx = ctx
	c.stop = context.AfterFunc(ctx, func() { _ = c.socket.SetWriteDeadline(time.Unix(1, 0)) })
	return ctx.Err()
}

// Teardown closes the connection.
func (c *conn) Teardown(context.Context) error {
	c.stop()
	if c.socket == nil {
		return nil
	}
	_ = c.socket.Close()
	if c.ended != nil {
		<-c.ended
	}
	return nil
}

// A frame on the wire is its length, 4 bytes big-endian, and the message.
const (
	headSize = 4
	maxFrame = 1 << 30
)

// readFrame reads the next message into buf, or into a larger one if it has to.
func readFrame(r *bufio.Reader, buf []byte) ([]byte, error) {
	head, err := r.Peek(headSize)
	if err != nil {
		return buf, err
	}
	n := int(binary.BigEndian.Uint32(head))
	if n > maxFrame {
		return buf, fmt.Errorf("a frame of %d B is above %d B: the other side speaks another protocol", n, maxFrame)
	}
	if _, err := r.Discard(headSize); err != nil {
		return buf, err
	}
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	_, err = io.ReadFull(r, buf[:n])
	return buf[:n], err
}

// appendFrame appends a message as a frame.
func appendFrame(to, payload []byte) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(len(payload)))
	return append(to, payload...)
}

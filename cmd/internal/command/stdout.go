package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/live"
)

// Patience is how long messages, and after an interrupt the results, may wait for a
// reader that does not read.
const Patience = 2 * time.Second

// piece is how much is written at a time, so that a slow reader is not taken for none.
const piece = 16 << 10

var errUnread = errors.New("interrupted while standard output had no reader")

// ErrLeft means that the reader of standard output has left, such as head.
var ErrLeft = errors.New("standard output has lost its reader")

// stdout is the standard output. It waits for its reader, as results must not be
// lost, but after an interrupt no longer than Patience. Earlier messages are written
// first, as both streams may share a terminal.
type stdout struct {
	w           io.Writer
	said        *live.AsyncWriter
	interrupted <-chan struct{}
}

// NewStdout returns the standard output of a command. See stdout.
func NewStdout(ctx context.Context, s Streams) io.Writer { return stdout{s.Out, s.Talk, ctx.Done()} }

// Write implements io.Writer.
func (o stdout) Write(p []byte) (n int, err error) {
	o.said.Flush(Patience)
	p = bytes.Clone(p) // a piece may be written after Write has returned
	for n < len(p) && err == nil {
		var more int
		more, err = o.write(p[n:min(n+piece, len(p))])
		n += more
	}
	if errors.Is(err, syscall.EPIPE) {
		err = ErrLeft
	}
	return n, err
}

func (o stdout) write(p []byte) (int, error) {
	type outcome struct {
		n   int
		err error
	}
	written := make(chan outcome, 1)
	go func() {
		n, err := o.w.Write(p)
		written <- outcome{n, err}
	}()
	select {
	case out := <-written:
		return out.n, out.err
	case <-o.interrupted:
	}
	select {
	case out := <-written:
		return out.n, out.err
	case <-time.After(Patience):
		return 0, errUnread
	}
}

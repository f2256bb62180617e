package adapter

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Floor returns the echo of a target: its own adapter, which then only sends messages back, or else brokerbench if the
// adapter does not announce that it can. It returns an error if the adapter announces an echo that does not start.
func Floor(ctx context.Context, t target.Target) (requester.Factory, error) {
	f, err := New(t, "floor")
	if err != nil { // so has the cell
		return Self(EchoArgs()...)
	}
	echo, err := f.Echo(ctx)
	if echo != nil {
		return echo, nil
	}
	if err != nil {
		if said, other := f.ask(ctx); other == nil && said["echo"] == "true" {
			return nil, err
		}
	}
	return Self(EchoArgs()...)
}

// Echo returns a factory for the same adapter that only sends messages back, without its system; nil if the adapter does not
// announce that it can.
func (f *Factory) Echo(ctx context.Context) (*Factory, error) {
	echo := &Factory{target: f.target, run: f.run, command: f.command, echo: true}
	said, err := echo.ask(ctx)
	if err != nil || said["echo"] != "true" {
		return nil, err
	}
	return echo, nil
}

// EchoArgs are the arguments that make brokerbench an Echo.
func EchoArgs() []string { return []string{"adapter", "echo"} }

// Echo is an adapter without a system: it sends every message back over the pipe by which it came. It
// returns when in ends.
func Echo(in io.Reader, out io.Writer) error {
	from, to := bufio.NewReaderSize(in, inBuffer), bufio.NewWriterSize(out, inBuffer)
	var body, answer []byte
	var largest atomic.Uint32
	largest.Store(1 << 30)
	for {
		f, err := readHead(from, &largest)
		if err == nil {
			body, err = readBody(from, f, body)
		}
		if errors.Is(err, io.EOF) {
			return to.Flush()
		}
		if err != nil {
			return err
		}
		switch f.kind {
		case hello:
			answer = appendFrame(answer[:0], hello, 0, []byte("protocol="+Version+"\nproduct=echo adapter\necho=true\n"))
		case send:
			answer = appendFrame(answer[:0], reply, f.conn, body)
		default:
			answer = appendFrame(answer[:0], f.kind, f.conn, nil)
		}
		_, err = to.Write(answer)
		if err == nil && from.Buffered() == 0 {
			err = to.Flush()
		}
		if err != nil {
			return err
		}
	}
}

package adapter

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	endLimit  = 2 * time.Second // from the end of the adapter's input until it is killed
	lastWords = time.Second     // how long what the process started may keep its standard error open after its end
)

var (
	errEnded  = errors.New("the adapter has ended")
	errClosed = errors.New("the adapter closed its standard output")
	errSilent = errors.New("the adapter does not answer")
)

// A child is the process of an adapter, which serves all connections of a factory. It is safe for
// concurrent use.
type child struct {
	cmd     *exec.Cmd
	alive   context.Context         // ends when the last frame has come; its cause says why
	kill    context.CancelCauseFunc // ends alive and the process
	in, out *os.File                // the adapter's input and output
	errors  process.Tail
	exited  chan struct{} // closed when the process has ended, with its group

	writing sync.Mutex
	buffer  []byte
	attempt attempt
	queue   *transport.SendQueue // frames for which the pipe had no room
	served  sync.WaitGroup       // of the goroutines

	largest atomic.Uint32 // message that was sent, in bytes

	mu    sync.RWMutex
	conns map[uint32]*conn
	users int // connections between Setup and Teardown; the factory's lock guards it
}

// start starts an adapter. The caller calls end.
func start(command []string) (*child, error) {
	c := &child{queue: transport.NewSendQueue(), conns: make(map[uint32]*conn), exited: make(chan struct{})}
	c.alive, c.kill = context.WithCancelCause(context.Background())
	c.cmd = exec.CommandContext(c.alive, command[0], command[1:]...) //nolint:gosec // the user's own
	process.EndsWhole(c.cmd)
	process.EndsWithUs(c.cmd)
	c.cmd.Stderr, c.cmd.WaitDelay = &c.errors, lastWords
	theirIn, ourIn, errIn := os.Pipe()
	ourOut, theirOut, errOut := os.Pipe()
	err := errors.Join(errIn, errOut)
	if err == nil {
		c.cmd.Stdin, c.cmd.Stdout, c.in, c.out = theirIn, theirOut, ourIn, ourOut
		begun := make(chan error)
		go c.run(begun)
		err = <-begun
	}
	for _, f := range []*os.File{theirIn, theirOut} {
		_ = f.Close()
	}
	if err != nil {
		c.kill(err)
		_, _ = ourIn.Close(), ourOut.Close()
		return nil, err
	}
	c.attempt.init(c.in)
	c.served.Go(c.read)
	c.served.Go(func() { c.queue.Serve(c.alive, c.write, func([]byte, error) {}) })
	return c, nil
}

// run starts the process and waits for its end. The thread that starts it stays until then: the kernel
// kills the process when that thread is gone. A process that left the group may hold the other end of the
// output for ever: it is closed here.
func (c *child) run(begun chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	begun <- err
	if err != nil {
		return
	}
	_ = c.cmd.Wait()
	_ = c.cmd.Cancel() // kills what it has left behind
	close(c.exited)
	time.AfterFunc(lastWords, func() { _ = c.out.Close() })
}

// write writes to the adapter, and blocks while it reads nothing.
func (c *child) write(frame []byte) error {
	_, err := c.in.Write(frame)
	return err
}

// send sends a frame: it writes as much as there is room for in the pipe, and queues the rest. It never
// blocks: an adapter that writes and reads in one goroutine would wait for us while we wait for it.
func (c *child) send(kind, conn uint32, body []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.alive.Err() != nil {
		return context.Cause(c.alive)
	}
	if kind == send && uint32(len(body)) > c.largest.Load() {
		c.largest.Store(uint32(len(body)))
	}
	c.buffer = appendFrame(c.buffer[:0], kind, conn, body)
	rest := c.buffer
	if c.queue.Empty() {
		n, err := c.attempt.write(rest)
		if err != nil {
			return fmt.Errorf("%w: %w", errEnded, err)
		}
		rest = rest[n:]
	}
	if len(rest) == 0 {
		return nil
	}
	return c.queue.Add(rest)
}

// read passes on frames until the adapter's output ends.
func (c *child) read() {
	in := bufio.NewReaderSize(c.out, inBuffer)
	var body []byte
	for {
		f, err := readHead(in, &c.largest)
		if err == nil {
			body, err = readBody(in, f, body)
		}
		if err == nil {
			err = c.pass(f, body)
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// pass passes a frame on to its connection.
func (c *child) pass(f frame, body []byte) error {
	c.mu.RLock()
	to := c.conns[f.conn]
	c.mu.RUnlock()
	if to == nil {
		return fmt.Errorf("%w: a frame of type %d for connection %d, which is not set up", errGarbage, f.kind, f.conn)
	}
	switch f.kind {
	case reply:
		if len(body) < requester.StampSize {
			body = append([]byte(nil), body...) // a probe, which outlives the call
		}
		to.Deliver(body)
	case acked, failed:
		head := body[:min(requester.StampSize, len(body))]
		switch {
		case len(head) < requester.StampSize: // of a probe
		case f.kind == acked:
			to.Acked(head)
		default:
			to.Failed(head, errors.New(line(body[len(head):])))
		}
	case event:
		if !to.Muted() {
			to.Sink.Event(line(body))
		}
	case kept:
		return to.kept(body)
	default:
		return to.answered(f, body)
	}
	return nil
}

// fail ends the adapter, and tells every connection why.
func (c *child) fail(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) {
		err = errClosed
		select {
		case <-c.exited:
			err = c.ended()
		case <-time.After(2 * lastWords):
		}
	}
	c.kill(err)
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, conn := range c.conns {
		if !conn.Muted() {
			conn.Sink.Event(err.Error())
		}
	}
}

// ended describes the end of the process, with its last line of standard error.
func (c *child) ended() error {
	how := c.cmd.ProcessState.String()
	if said := line([]byte(c.errors.LastLine())); said != "" {
		how += ": " + said
	}
	return fmt.Errorf("%w: %s", errEnded, how)
}

// ask sends a frame for a connection and waits for the answer.
func (c *child) ask(ctx context.Context, kind uint32, conn *conn, body []byte) ([]byte, error) {
	if err := c.send(kind, conn.number, body); err != nil {
		return nil, c.because(err)
	}
	for {
		select {
		case a := <-conn.answers:
			switch a.kind {
			case kind:
				return a.body, nil
			case failure:
				return nil, errors.New(cmp.Or(line(a.body), "the adapter gives no reason"))
			}
		case <-c.alive.Done():
			return nil, context.Cause(c.alive)
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", errSilent, context.Cause(ctx))
		}
	}
}

// because returns why the adapter is gone if err says that it is: the reader knows more than the writer.
func (c *child) because(err error) error {
	if !errors.Is(err, errEnded) {
		return err
	}
	select {
	case <-c.alive.Done():
		return context.Cause(c.alive)
	case <-time.After(2 * lastWords):
		return err
	}
}

// join adds a connection. It stays after its end: frames that were on their way are dropped.
func (c *child) join(conn *conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns[conn.number] = conn
}

// end ends the adapter: its input ends, and if it goes on it is killed. It returns when all is over.
func (c *child) end(ctx context.Context) {
	_ = c.in.Close()
	select {
	case <-c.exited:
	case <-ctx.Done():
	case <-time.After(endLimit):
	}
	c.kill(errEnded)
	<-c.exited
	_ = c.out.Close() // something that left the process group may still have the other end
	c.served.Wait()
}

// Package adapter measures a system through a process of the user's, an adapter:
//
//	exec:./my-adapter --flag 'an argument'
//
// Everything behind exec: is the command. Its words are separated by blanks; quotes keep blanks in a word,
// and no shell reads it. One process serves all connections of a cell. It reads frames from its standard
// input and writes frames to its standard output: docs/adapters.md describes them.
//
// A message goes to the adapter in one write, as long as the pipe has room; else it is queued. A message
// comes back when its frame is complete. The cost of the two pipes is part of the latency: the floor of
// an exec: target is the same adapter, which then only sends back, or else brokerbench as an adapter.
package adapter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Scheme is that of a target with an adapter.
const Scheme = "exec"

const (
	helloLimit = 30 * time.Second       // from the start of an adapter to its first answer
	probeEvery = 100 * time.Millisecond // how often a probe is sent until one comes back
)

var errQuote = errors.New("a quote is not closed")

// remedies has what helps against the errors of adapters.
var remedies = target.Remedies{
	{Err: exec.ErrNotFound, Remedy: "correct the path; a program without / is looked for in PATH"},
	{Err: fs.ErrNotExist, Remedy: "correct the path; a script needs the interpreter of its first line"},
	{Err: fs.ErrPermission, Remedy: "make it executable: chmod +x, or name its interpreter: exec:python3 FILE"},
	{Err: syscall.ENOEXEC, Remedy: "a script needs a first line such as #!/usr/bin/env python3"},
	{Err: errVersion, Remedy: "this brokerbench speaks version " + Version},
	{Err: errGarbage, Remedy: "write frames to standard output and everything else to standard error; docs/adapters.md has the format"},
	{Err: errEnded, Remedy: "try it alone: brokerbench adapter test COMMAND"},
	{Err: errClosed, Remedy: "an adapter keeps it open until its input ends"},
	{Err: errSilent, Remedy: "an adapter answers hello, setup and teardown; try it alone: brokerbench adapter test COMMAND"},
	{Err: context.DeadlineExceeded, Remedy: "does the adapter receive its own messages?"},
}

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target  target.Target
	run     string
	command []string
	durable target.Durable
	echo    bool // the adapter is to send messages back, without its system

	mu    sync.Mutex
	said  map[string]string // what the adapter says of itself; nil: it was not asked
	child *child            // that serves the connections; nil: none
}

// New returns the factory for a target. It starts nothing, but finds the program.
func New(t target.Target, run string) (*Factory, error) {
	words, err := split(t.Command)
	return open(t, run, words, err)
}

// Of returns the factory for an adapter whose command has these words.
func Of(run string, words ...string) (*Factory, error) {
	return open(target.Target{Scheme: Scheme, Command: strings.Join(words, " ")}, run, words, nil)
}

func open(t target.Target, run string, words []string, err error) (*Factory, error) {
	if err == nil && len(words) == 0 {
		err = errors.New("a command is missing: exec:./my-adapter --flag")
	}
	if err == nil {
		_, err = exec.LookPath(words[0])
	}
	f := &Factory{target: t, run: run, command: words}
	wrong := target.NewOptions(Scheme, f.define).Apply(t.Query)
	if wrong != nil {
		wrong = fmt.Errorf("target %s: %w", t, wrong)
	}
	return f, errors.Join(f.explain("finding the program", err), target.CheckRun(run), wrong)
}

// Self returns a factory whose adapter is this program with some arguments.
func Self(args ...string) (*Factory, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return Of("floor", append([]string{program}, args...)...)
}

func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, err, remedies.For)
}

// split divides a command into words. Quotes, single or double, keep blanks.
func split(command string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	begun := false
	for _, r := range command {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, errQuote
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// begin starts an adapter, and returns its description. The caller calls end of the child.
func (f *Factory) begin(ctx context.Context) (c *child, said map[string]string, err error) {
	if c, err = start(f.command); err != nil {
		return nil, nil, f.explain("starting the adapter", err)
	}
	greeter := f.newConn(0, requester.Sink{})
	greeter.Mute()
	c.join(greeter)
	body, err := c.ask(ctx, hello, greeter, f.greeting())
	if said = fields(body); err == nil && said["protocol"] != Version {
		err = fmt.Errorf("%w: %q", errVersion, said["protocol"])
	}
	if err != nil {
		c.end(ctx)
		what := "starting the adapter"
		if f.echo {
			what += " as an echo"
		}
		return nil, nil, f.explain(what, err)
	}
	return c, said, nil
}

// ask starts an adapter only to ask what it is.
func (f *Factory) ask(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, helloLimit)
	defer cancel()
	c, said, err := f.begin(ctx)
	if err != nil {
		return nil, err
	}
	c.end(ctx)
	if f.echo { // an echo acknowledges and stores nothing, whatever the system does
		delete(said, "acknowledges")
		delete(said, "audit")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = said
	return said, nil
}

// Describe implements [requester.Describer] with what the adapter says of itself.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	said, err := f.ask(ctx)
	if err != nil {
		return requester.Description{}, err
	}
	d := requester.Description{
		Product: said["product"], Version: said["version"], Client: said["client"],
		Settings: []requester.Setting{{Name: "adapter", Value: target.Redact(f.target.Command), Doc: "the command of the adapter"}},
	}
	if said["echo"] == "true" {
		d.Settings = append(d.Settings, requester.Setting{Name: "echo", Value: "true", Doc: "the adapter itself is the floor: it then only sends back"})
	}
	for name, value := range said {
		if setting, ok := strings.CutPrefix(name, "setting."); ok {
			d.Settings = append(d.Settings, requester.Setting{Name: setting, Value: value})
		}
	}
	slices.SortFunc(d.Settings, func(a, b requester.Setting) int { return strings.Compare(a.Name, b.Name) })
	d.Durability, err = f.backing(requester.Durability(said["durability"]))
	return d, f.explain("asking for its durability", err)
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	f.mu.Lock()
	said := f.said
	f.mu.Unlock()
	if said == nil {
		var err error
		if said, err = f.ask(context.Background()); err != nil {
			return nil, err
		}
	}
	c := f.newConn(uint32(number), sink)
	c.traits.Acknowledges = said["acknowledges"] == "true"
	if limit, ok := said["in-flight"]; ok {
		n, err := strconv.ParseUint(limit, 10, 31)
		if err != nil {
			return nil, f.explain("starting the adapter", fmt.Errorf("in-flight=%s: want a number", limit))
		}
		c.traits.InFlight = int(n)
	}
	return c, nil
}

func (f *Factory) newConn(number uint32, sink requester.Sink) *conn {
	return &conn{Outcomes: transport.NewOutcomes(sink, f.explain), factory: f, number: number, answers: make(chan answer, 1)}
}

// use returns the child for one more connection, and starts it for the first.
func (f *Factory) use(ctx context.Context) (*child, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.child == nil {
		c, _, err := f.begin(ctx)
		if err != nil {
			return nil, err
		}
		f.child = c
	}
	f.child.users++
	return f.child, nil
}

// leave ends the child with its last connection.
func (f *Factory) leave(ctx context.Context, c *child) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.users--; c.users == 0 {
		f.child = nil
		c.end(ctx)
	}
}

// A conn is one connection.
type conn struct {
	*transport.Outcomes

	factory *Factory
	number  uint32
	traits  requester.Traits
	child   atomic.Pointer[child] // nil before Setup and after Teardown
	answers chan answer
	keep    func(message []byte) // takes a message that an audit finds; nil: this is no audit
}

// An answer is the frame that answers a question.
type answer struct {
	kind uint32
	body []byte
}

// answered takes an answer.
func (c *conn) answered(f frame, body []byte) error {
	select {
	case c.answers <- answer{f.kind, append([]byte(nil), body...)}:
		return nil
	default:
		return fmt.Errorf("%w: a frame of type %d answers nothing", errGarbage, f.kind)
	}
}

// Traits implements [requester.Requester].
func (c *conn) Traits() requester.Traits { return c.traits }

// Setup implements [requester.Requester].
func (c *conn) Setup(ctx context.Context) error {
	child, err := c.factory.use(ctx)
	if err != nil {
		return err
	}
	child.join(c)
	c.child.Store(child)
	if _, err := child.ask(ctx, setup, c, nil); err != nil {
		return c.Explain("setting up", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(child.alive, func() { cancel(context.Cause(child.alive)) })()
	probe := transport.NewMark()
	return c.Explain("probing", transport.Repeat(ctx, probeEvery, c.Probed, func() error { return child.send(send, c.number, probe) }))
}

// Request implements [requester.Requester]. It never blocks.
func (c *conn) Request(ctx context.Context, payload []byte) error {
	child := c.child.Load()
	err := ctx.Err()
	if err == nil && child == nil {
		err = transport.ErrNotSetUp
	}
	if err == nil {
		err = child.send(send, c.number, payload)
	}
	if err != nil {
		return c.Explain("sending", err)
	}
	return nil
}

// Teardown implements [requester.Requester]. The last one ends the adapter.
func (c *conn) Teardown(ctx context.Context) error {
	c.Mute()
	child := c.child.Swap(nil)
	if child == nil {
		return nil
	}
	defer c.factory.leave(ctx, child)
	if child.alive.Err() != nil { // an event has said so
		return nil
	}
	_, err := child.ask(ctx, teardown, c, nil)
	return c.Explain("tearing down", err)
}

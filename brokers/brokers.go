// Package brokers is the table of everything that brokerbench can measure. It maps
// the scheme of a target's URL to a broker.
package brokers

import (
	"context"
	"io"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/internal/adapter"
	"github.com/brokerbench/brokerbench/brokers/internal/rabbitstream"
	"github.com/brokerbench/brokerbench/brokers/internal/service"
	"github.com/brokerbench/brokerbench/brokers/internal/web"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Broker is one kind of system under test. A [Table] has those that targets may
// name; package cmd makes a program of it.
type Broker struct {
	Name    string   // such as "kafka"; also names a target without a name
	Schemes []string // of its URLs, in lower case, the plain one first
	Ports   []string // the usual port of each scheme; nil: a URL has one
	Guides  []string // those of Schemes whose hosts are no nodes but say where they are, such as sentinels
	Example string   // a URL
	Summary string   // one line
	Usual   string   // URL of one on this machine at its usual port, for which Name stands as a target; "" if there is none

	// Options returns every option of a scheme, with its default. Nil if there are
	// none: then a URL that has options is refused.
	Options func(scheme string) []requester.Setting

	// Open returns a factory for a target that has one of Schemes. It refuses options
	// that are wrong, and does not connect. run is a text unique to one measured cell:
	// the names of what the factory makes on the broker carry it. It is called once for
	// each cell, and when the URL is checked.
	Open func(t target.Target, run string) (requester.Factory, error)

	// Durability returns how the broker keeps each level of durability, the weakest first;
	// its options then have durability and durability-check. Nil if it has no levels.
	Durability func() []target.Level

	// Modes are options, each as the query of a URL, with which the broker has other [Abilities] than without.
	Modes []string

	// Sockets is how many sockets a connection takes; 0 is as many as most do.
	Sockets int

	// Floor returns the echo that the floor of a target is measured against, for what no message to it can avoid
	// besides TCP. Nil: a TCP echo.
	Floor func(ctx context.Context, t target.Target) (requester.Factory, error)

	// Decisive lists the options that decide what a latency means: results that differ in them
	// are not compared.
	Decisive []Decisive

	// Bounds are the options without which what the broker keeps grows for as long as messages are sent. A
	// broker without any keeps nothing.
	Bounds []Bound

	// Advertises is true if the nodes lead clients to addresses that the nodes themselves
	// advertise, past any relay in front of them.
	Advertises bool
}

// A Decisive option decides whether a message survives a failure, or how much work it is.
type Decisive struct {
	Name    string
	Default string // the value of a broker that keeps messages in memory only
	Work    bool   // it changes the work and not the durability
}

// Adapter returns the factory for the adapter whose command has these words.
func Adapter(run string, words ...string) (*adapter.Factory, error) { return adapter.Of(run, words...) }

// Serve runs this process as a child of a broker if args, without the program's name, are those of one, and then
// returns when in ends. With "adapter echo" it is an adapter of exec: targets that sends every message back, and
// with others the service of the target http: or grpc:.
func Serve(args []string, in io.Reader, out io.Writer) (isChild bool, err error) {
	switch {
	case slices.Equal(args, adapter.EchoArgs()):
		return true, adapter.Echo(in, out)
	case slices.Equal(args, service.Args("http")):
		return true, web.Serve(in, out)
	case slices.Equal(args, service.Args("grpc")):
		return true, serveGRPC(in, out)
	}
	return false, nil
}

// Redact replaces the password of every URL in text by xxxxx.
func Redact(text string) string { return target.Redact(text) }

// Mute returns a writer for log.SetOutput that leaves out what the client libraries of the
// brokers log by themselves: errors and events have the important part.
func Mute(w io.Writer) io.Writer { return rabbitstream.Mute(w) }

//go:build !grpcnotrace

package brokers

import (
	"context"
	"io"

	"github.com/brokerbench/brokerbench/brokers/internal/grpc/form"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// noGRPC is the factory of a target that this build cannot measure. It says so when it is asked what it is, so
// that the other targets of a plan are measured.
//
// Without the tag, google.golang.org/grpc uses text/template through golang.org/x/net/trace. A template may call
// any exported method by its name, so the linker would keep all of them: 24 MB.
type noGRPC struct{ form.Form }

// New implements [requester.Factory].
func (n *noGRPC) New(number int, sink requester.Sink) (requester.Requester, error) {
	return requester.BlockingFactory(func(int) (requester.Do, func() error, error) { return nil, nil, n.absent() }).New(number, sink)
}

// Describe implements [requester.Describer].
func (n *noGRPC) Describe(context.Context) (requester.Description, error) {
	return requester.Description{}, n.absent()
}

func (n *noGRPC) absent() error { return n.Explain("connecting", form.ErrAbsent) }

func openGRPC(t target.Target, run string) (requester.Factory, error) {
	n := new(noGRPC)
	return n, n.Read(t, run)
}

func serveGRPC(io.Reader, io.Writer) error { return form.ErrAbsent }

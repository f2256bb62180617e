//go:build grpcnotrace

package brokers

import (
	"io"

	"github.com/brokerbench/brokerbench/brokers/internal/grpc"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

func openGRPC(t target.Target, run string) (requester.Factory, error) { return grpc.New(t, run) }

func serveGRPC(in io.Reader, out io.Writer) error { return grpc.Serve(in, out) }

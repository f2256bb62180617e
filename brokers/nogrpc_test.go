//go:build !grpcnotrace

package brokers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/internal/grpc/form"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A build without gRPC knows the options of a target, and says in one line how to measure it.
func TestABuildWithoutGRPC(t *testing.T) {
	if _, err := brokers.All().Parse("grpc:?mode=unary&cals=2"); err == nil {
		t.Error("an option that is not there is taken")
	}
	f, r := connection(t, "grpc:?mode=unary&calls=2")
	describer, _ := requester.As[requester.Describer](f)
	_, described := describer.Describe(t.Context())
	_, served := brokers.Serve([]string{"service", "grpc"}, nil, nil)
	for _, err := range []error{described, r.Setup(t.Context()), served} {
		if !errors.Is(err, form.ErrAbsent) {
			t.Error(err)
		}
	}
	var fault *target.Fault
	if !errors.As(described, &fault) || fault.Remedy != "make one that has: go build -tags grpcnotrace ./cmd/brokerbench" {
		t.Error(described)
	}
	if err := r.Teardown(context.Background()); err != nil {
		t.Error(err)
	}
}

package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/measure"
)

func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of brokerbench and of the clients it measures through",
		Example: "  brokerbench version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(s.Out, "brokerbench %s, %s, %s/%s\n", measure.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			for _, m := range clientModules() {
				fmt.Fprintln(s.Out, m)
			}
			return nil
		},
	}
}

// clientModules returns the client libraries that were built in, as path and
// version.
func clientModules() (modules []string) {
	clients := []string{
		"github.com/nats-io/nats.go", "github.com/nats-io/nats-server/v2", "github.com/redis/go-redis/v9",
		"github.com/rabbitmq/amqp091-go", "github.com/twmb/franz-go", "github.com/HdrHistogram/hdrhistogram-go",
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, dep := range info.Deps {
		if slices.Contains(clients, dep.Path) {
			modules = append(modules, dep.Path+" "+dep.Version)
		}
	}
	return modules
}

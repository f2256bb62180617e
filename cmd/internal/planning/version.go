package planning

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// NewVersion returns the command `version`.
func NewVersion(s command.Streams) *cobra.Command {
	var p command.Printing
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of brokerbench and of the clients it measures through",
		Example: "  brokerbench version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := p.Check(); err != nil {
				return err
			}
			return p.Show(s, versions())
		},
	}
	p.Define(c.Flags())
	return c
}

// A module is a library and its version, as JSON.
type module struct {
	Path    string `json:"module"`
	Version string `json:"version"`
}

// versions lists the versions of brokerbench and Go, and of the clients.
func versions() *document.Document {
	list := append([]module{{"brokerbench", machine.Version()}, {"go", strings.TrimPrefix(runtime.Version(), "go")}}, clientModules()...)
	text := VersionLine()
	t := document.Table{Head: []string{"module", "version"}}
	for i, m := range list {
		t.Rows = append(t.Rows, []string{m.Path, m.Version})
		if i > 1 {
			text += m.Path + " " + m.Version + "\n"
		}
	}
	var d document.Document
	d.ShowAs(text, t)
	d.Exact(t, list)
	return &d
}

// VersionLine is what --version prints.
func VersionLine() string {
	return fmt.Sprintf("brokerbench %s, %s, %s/%s\n", machine.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// clientModules returns the client libraries that were built in.
func clientModules() (modules []module) {
	clients := []string{
		"github.com/nats-io/nats.go", "github.com/nats-io/nats-server/v2", "github.com/redis/go-redis/v9",
		"github.com/rabbitmq/amqp091-go", "github.com/rabbitmq/rabbitmq-stream-go-client", "github.com/twmb/franz-go",
		"github.com/Azure/go-amqp", "github.com/eclipse/paho.golang",
		"github.com/HdrHistogram/hdrhistogram-go",
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, dep := range info.Deps {
		if slices.Contains(clients, dep.Path) {
			modules = append(modules, module{dep.Path, dep.Version})
		}
	}
	return modules
}

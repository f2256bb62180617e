package planning

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/internal/omb"
)

const importLong = `Import writes a plan file with the load of a WORKLOAD and the target of a DRIVER: two
YAML files of the OpenMessaging Benchmark. It reads drivers of Kafka, NATS, Redis, RabbitMQ
and NSQ.

Nothing is guessed: it refuses each setting that has no equivalent, with its line and the
reason. --ignore leaves a setting out, if the measurement does not depend on it. Comments
in the plan say what differs from the benchmark.

Exit codes: 0 good; 1 a file cannot be read or written; 2 a setting that cannot be
imported, or a mistake in the command line.`

func newConfigImport(s command.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "import",
		Short:   "Write a plan file from files of another tool",
		Args:    command.UnknownCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
		Example: "  brokerbench config import omb workloads/simple-workload.yaml driver-kafka/kafka-latency.yaml -o plan.yaml",
	}
	c.AddCommand(newImportOMB(s))
	return c
}

func newImportOMB(s command.Streams) *cobra.Command {
	var o command.Output
	var ignored []string
	c := &cobra.Command{
		Use:   "omb WORKLOAD DRIVER",
		Short: "Write a plan file from a workload and a driver of the OpenMessaging Benchmark",
		Long:  importLong,
		Example: `  brokerbench config import omb workloads/simple-workload.yaml driver-rabbitmq/rabbitmq.yaml
  brokerbench config import omb my-load.yaml my-kafka.yaml --ignore receive.buffer.bytes -o plan.yaml`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, names []string) error {
			if err := o.Check(names...); err != nil {
				return err
			}
			imported, err := importOMB(s, names, ignored)
			if err != nil {
				return err
			}
			return o.Write(s, names, text(imported))
		},
	}
	c.Flags().StringSliceVar(&ignored, "ignore", nil, "settings to leave out, such as receive.buffer.bytes")
	o.Define(c.Flags(), "the file to write instead of standard output (-)")
	return c
}

// variables are those without a default in URLs.
var variables = regexp.MustCompile(`\$\{(\w+)\}`)

// mostImported bounds a file to import, in bytes.
const mostImported = 1 << 20

// importOMB returns the plan of a workload and a driver, which it checks.
func importOMB(s command.Streams, names, ignored []string) (string, error) {
	files := make([]omb.File, len(names))
	for i, name := range names {
		content, err := safefile.Read(name, mostImported)
		if err != nil {
			return "", err
		}
		files[i] = omb.File{Name: name, Text: content}
	}
	imported, err := omb.Import(files[0], files[1], ignored)
	if err != nil {
		return "", command.Usage(err)
	}
	s.In, s.Environ = strings.NewReader(imported), nil
	for _, variable := range variables.FindAllStringSubmatch(imported, -1) {
		s.Environ = append(s.Environ, variable[1]+"=x") // it need not be set yet
	}
	flags := PlanFlags{File: "-"}
	if _, _, err := flags.Plan(s, nil); err != nil {
		return "", command.Usage(fmt.Errorf("%s and %s: brokerbench refuses the plan that they make, whose lines are those of stdin:\n%w", names[0], names[1], err))
	}
	return imported, nil
}

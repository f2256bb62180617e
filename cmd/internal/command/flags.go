package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
)

// replaced tells for the flags that commands had, by command and flag, what to do instead.
var replaced = map[string]string{
	"ab --run":        "use --side",
	"clean --run":     "use --only",
	"search --pause":  "use --unseen-pause",
	"verify --pause":  "use --pause-for",
	"verify --agents": "verify checks one process against witnesses on its machine: run brokerbench verify on each machine",
	"run --n":         inAgents,
	"search --n":      inAgents,
	"ab --n":          inAgents,
	"fault --n":       inAgents,
}

const inAgents = "use --agents k8s:N"

// FlagError says what is wrong with a flag, which one may be meant, and where its help is.
func FlagError(c *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	hint := ""
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := "--" + unknown.GetSpecifiedName()
		if hint = suggest.Hint(name, flagsOf(c)); replaced[c.Name()+" "+name] != "" {
			hint = ": " + replaced[c.Name()+" "+name]
		}
	}
	return Usage(fmt.Errorf("%w%s (see `%s --help`)", err, hint, c.CommandPath()))
}

// flagsOf returns the flags of a command that its help may show.
func flagsOf(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
)

// UnknownCommand refuses a first argument that is not a command.
func UnknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("unknown command %q%s (see `%s --help`)", args[0], suggest.Hint(args[0], names), c.CommandPath())
}

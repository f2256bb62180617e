package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
)

// FlagError says what is wrong with a flag, which one may be meant, and where its help is.
func FlagError(c *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	hint := ""
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		hint = suggest.Hint("--"+unknown.GetSpecifiedName(), flagsOf(c))
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

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan/config"
)

func newConfig(s Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Check plan files, and help you write them",
		Args:  unknownCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
		Example: `  brokerbench config init plan.yaml
  brokerbench config validate plan.yaml`,
	}
	c.AddCommand(newConfigValidate(s), newConfigSchema(s), newConfigInit(s))
	return c
}

func newConfigValidate(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "validate FILE...",
		Short:   "Report every mistake in plan files, with line and column",
		Example: "  brokerbench config validate deploy/plans/*.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			var errs []error
			for _, file := range files {
				flags := planFlags{file: file}
				p, _, err := flags.plan(s, nil)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintf(s.Out, "%s: good: %s, %s, %v\n", file,
					words.Plural(len(p.Targets), "target"), words.Plural(len(p.Cells()), "cell"), p.Took())
			}
			return usage(errors.Join(errs...))
		},
	}
}

func newConfigSchema(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of plan files, for editors",
		Example: "  brokerbench config schema > plan.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Out, "%s\n", schema)
			return err
		},
	}
}

func newConfigInit(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a plan file to start from",
		Example: `  brokerbench config init > plan.yaml
  brokerbench config init plan.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprint(s.Out, config.Template())
				return err
			}
			return writeTemplate(args[0])
		},
	}
}

// writeTemplate writes the template to a new file.
func writeTemplate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // a plan is for everyone to read
	if errors.Is(err, fs.ErrExist) {
		return usage(fmt.Errorf("%s exists (choose another name, or remove it)", path))
	}
	if err != nil {
		return fmt.Errorf("writing the template: %w", err)
	}
	_, err = f.WriteString(config.Template())
	return errors.Join(err, f.Close())
}

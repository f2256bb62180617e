package planning

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// NewConfig returns the command `config`.
func NewConfig(s command.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Write and check plan files",
		Args:  command.UnknownCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
		Example: `  brokerbench config init plan.yaml
  brokerbench config validate plan.yaml`,
	}
	c.AddCommand(newConfigValidate(s), newConfigSchema(s), newConfigInit(s), newConfigImport(s))
	return c
}

func newConfigValidate(s command.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "validate FILE...",
		Short:   "Report every mistake in plan files, with line and column",
		Example: "  brokerbench config validate deploy/plans/*.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			var errs []error
			for _, file := range files {
				flags := PlanFlags{File: file}
				p, _, err := flags.Plan(s, nil)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				fmt.Fprintf(s.Out, "%s: good: %s, %s, about %s\n", file,
					words.Plural(len(p.Targets), "target"), words.Plural(len(p.Cells()), "cell"), words.About(p.Took()))
			}
			return command.Usage(errors.Join(errs...))
		},
	}
}

func newConfigSchema(s command.Streams) *cobra.Command {
	var o command.Output
	c := &cobra.Command{
		Use:       "schema [plan|claims]",
		Short:     "Print the JSON Schema of plan files, or of claims.yaml, for editors",
		Example:   "  brokerbench config schema -o plan.schema.json\n  brokerbench config schema claims -o claims.schema.json",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"plan", "claims"},
		RunE: func(_ *cobra.Command, args []string) error {
			if slices.Contains(args, "claims") {
				return o.Write(s, nil, text(claims.Schema))
			}
			schema, err := config.Schema()
			if err != nil {
				return err
			}
			return o.Write(s, nil, text(string(schema)+"\n"))
		},
	}
	o.Define(c.Flags(), "the file to write instead of standard output (-)")
	return c
}

func newConfigInit(s command.Streams) *cobra.Command {
	var o command.Output
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a plan file to start from",
		Example: `  brokerbench config init > plan.yaml
  brokerbench config init plan.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && o.Path == "" {
				return o.WriteFile("FILE", args[0], nil, text(config.Template()))
			}
			return o.Write(s, nil, text(config.Template()))
		},
	}
	o.Define(c.Flags(), "the file to write, which FILE is, too; - is standard output")
	return c
}

// text returns what writes a text.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

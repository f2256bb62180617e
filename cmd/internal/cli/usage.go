package cli

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// flagGroups has the flags of commands that measure, by subject; help begins with those of a command
// that are in no group.
var flagGroups = []struct {
	title string
	flags []string
}{
	{"Target", []string{"target", "file", "durability"}},
	{"Load", []string{"rate", "size", "connections", "in-flight", "arrivals", "duration", "warmup", "repeat"}},
	{"Judge", []string{"slo", "details"}},
	{"Output", []string{"out", "output", "format", "dry-run"}},
	{"Machines", []string{"agents"}},
}

// rareFlags are shown with --all only.
var rareFlags = []string{
	"agents-binary", "agents-wait", "allow-faults", "allow-unverified", "audit", "backlog", "cold", "context", "control", "echo", "floor", "force", "lease", "max-skew", "name",
	"groups", "headers", "keys", "members", "on-loss", "payload", "percentiles", "progress", "prometheus", "quiet", "report", "seed", "senders", "slo-observed", "spin", "timeout", "topics", "until-store", "user",
}

// addGroup adds commands to a group of the help.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	if !root.ContainsGroup(title) {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	}
	for _, c := range commands {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// manyFlags is how many flags a command has at most whose help shows all of them.
const manyFlags = 20

// groupHelp puts the commands of cobra into a group, and gives every command the flag --all. Only
// the help of commands that hide flags shows it.
func groupHelp(root *cobra.Command) {
	root.SetHelpCommandGroupID("Plumbing")
	root.SetCompletionCommandGroupID("Plumbing")
	root.PersistentFlags().Bool("all", false, "with --help: show every flag")
	_ = root.PersistentFlags().MarkHidden("all") // it fails only for a flag that is not there
}

// withHelp refuses --all without help.
func withHelp(c *cobra.Command) error {
	if c.Name() != "help" && showsAll(c) {
		return command.Usage(errors.New("--all shows every flag: use it with --help"))
	}
	return nil
}

func showsAll(c *cobra.Command) bool {
	all, err := c.Root().PersistentFlags().GetBool("all")
	return err == nil && all
}

// printUsage prints cobra's usage, with flags in groups, wrapped at 80 columns. A custom template
// would take one line, but it links text/template, which finds methods by name: then the
// linker has to keep every method, and the program is half as large again.
func printUsage(c *cobra.Command) error {
	out := c.OutOrStderr()
	var text bytes.Buffer
	c.SetOut(&text)
	err := new(cobra.Command).UsageFunc()(c)
	c.SetOut(out)
	wrapped := text.String()
	flags := c.LocalFlags()
	wrapped = strings.Replace(wrapped, strings.TrimSpace(flags.FlagUsages()), strings.TrimSpace(usages(flags, showsAll(c))), 1)
	_, failed := io.WriteString(out, wrapped)
	return errors.Join(err, failed)
}

// usages writes flags; many in groups, and then the rare ones only if all are to be shown.
func usages(flags *pflag.FlagSet, all bool) string {
	n := 0
	flags.VisitAll(func(*pflag.Flag) { n++ })
	if n <= manyFlags {
		return flags.FlagUsagesWrapped(80)
	}
	flags.Bool("all", false, "with --help: show every flag")
	var grouped []string
	for _, g := range flagGroups {
		grouped = append(grouped, g.flags...)
	}
	text := chosen(flags, func(name string) bool { return !slices.Contains(grouped, name) && !slices.Contains(rareFlags, name) })
	for _, g := range flagGroups {
		if group := chosen(flags, func(name string) bool { return slices.Contains(g.flags, name) }); group != "" {
			text += "\n" + g.title + ":\n" + group
		}
	}
	if all {
		text += "\nRare:\n" + chosen(flags, func(name string) bool { return slices.Contains(rareFlags, name) })
	}
	return text
}

// chosen writes some of the flags.
func chosen(flags *pflag.FlagSet, choose func(name string) bool) string {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		if choose(f.Name) {
			set.AddFlag(f)
		}
	})
	return set.FlagUsagesWrapped(80)
}

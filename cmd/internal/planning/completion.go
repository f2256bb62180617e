package planning

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// A completer is a pflag.Value whose values are words.
type completer interface{ Words() []string }

// Words implements completer.
func (k keyFlag) Words() []string { return k.key.Words() }

// CompleteFlags lets a shell complete the values of the flags of a command and of
// those below it: words, folders, plan files, and targets.
func CompleteFlags(s command.Streams, c *cobra.Command) {
	for _, sub := range c.Commands() {
		CompleteFlags(s, sub)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if complete := completeFlag(s, f); complete != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // it fails only for one that is there already
		}
	})
}

// completeFlag returns what completes a flag; nil if a shell offers files.
func completeFlag(s command.Streams, f *pflag.Flag) cobra.CompletionFunc {
	values, ofWords := f.Value.(completer)
	switch {
	case f.Name == "out":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case ofWords:
		return listed(values.Words())
	case f.Name == "file":
		return cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
	case f.Name == "fail-on":
		return listed(gates())
	case f.Name == "target":
		return CompleteTargets(s)
	case f.Name == "tag":
		return listed([]string{source.Response, source.Service, "held", "lag", source.Corrected, source.Ack, source.Complete, source.Published, source.Outward, source.Back, source.Echo, source.Warmup, source.Hiccup})
	}
	return nil
}

// gates returns the beginnings of what --fail-on takes.
func gates() (list []string) {
	for _, p := range results.Percentiles() {
		list = append(list, words.Percentile(p)+">")
	}
	return append(list, "loss>", "pauses>")
}

// listed completes the last word of a comma-separated list. A completion that does not end
// a value, such as burst:, is followed by no space.
func listed(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		directive := cobra.ShellCompDirectiveNoFileComp
		for _, word := range words {
			found = append(found, before+word)
			if strings.ContainsAny(word[len(word)-1:], ":<>") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return found, directive
	}
}

// CompleteTargets completes a target: the schemes of all brokers, or the names that
// the plan file has, if one is given; and plan files, of a command that takes them.
func CompleteTargets(s command.Streams) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return targetsFor(s, c, typed)
	}
}

func targetsFor(s command.Streams, c *cobra.Command, typed string) (found []string, _ cobra.ShellCompDirective) {
	if file := c.Flag("file"); file != nil && !slices.Contains([]string{"", "-"}, file.Value.String()) {
		flags := PlanFlags{File: file.Value.String()}
		if p, _, err := flags.Plan(s, nil); err == nil {
			for _, target := range p.Targets {
				found = append(found, target.Name)
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		}
	}
	if c.Flag("file") != nil {
		found = plansHere(typed)
	}
	return append(append(found, namesOf(s.Brokers)...), schemes(s.Brokers)...), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A completer is a pflag.Value whose values are words.
type completer interface{ words() []string }

// words implements completer.
func (k keyFlag) words() []string { return k.key.Words() }

// completeFlags lets a shell complete the values of the flags of a command and of
// those below it: words, folders, plan files, and targets.
func completeFlags(s Streams, c *cobra.Command) {
	for _, sub := range c.Commands() {
		completeFlags(s, sub)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if complete := s.completeFlag(f); complete != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // it fails only for one that is there already
		}
	})
}

// completeFlag returns what completes a flag; nil if a shell offers files.
func (s Streams) completeFlag(f *pflag.Flag) cobra.CompletionFunc {
	values, ofWords := f.Value.(completer)
	switch {
	case f.Name == "out":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case ofWords:
		return listed(values.words())
	case f.Name == "file":
		return cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
	case f.Name == "fail-on":
		return listed(gates())
	case f.Name == "target":
		return s.completeTargets
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

// listed completes the last of several words with commas between. What does not end
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

// completeTargets completes a target: the schemes of all brokers, or the names that
// the plan file has, if one is given; and plan files, of a command that takes them.
func (s Streams) completeTargets(c *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	if file := c.Flag("file"); file != nil && !slices.Contains([]string{"", "-"}, file.Value.String()) {
		flags := planFlags{file: file.Value.String()}
		if p, _, err := flags.plan(s, nil); err == nil {
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

// completeRuns completes the folders of runs: those in the folder of results, or
// others that a shell finds.
func (s Streams) completeRuns(*cobra.Command, []string, string) (found []string, _ cobra.ShellCompDirective) {
	for _, run := range s.runs() {
		found = append(found, run.Dir+"\t"+strings.Join(targetNames(run.Run), ", "))
	}
	return found, cobra.ShellCompDirectiveDefault | cobra.ShellCompDirectiveKeepOrder
}

// completeSides completes the sides of a comparison: folders of runs, and behind an @
// the targets of the run.
func (s Streams) completeSides(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	at := strings.LastIndexByte(typed, '@')
	if at < 0 {
		return s.completeRuns(c, args, typed)
	}
	before := typed[:at]
	store, err := results.Open(before[strings.LastIndexByte(before, ',')+1:])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	run, _ := store.Run() // none has no targets
	found := targetNames(run)
	for i := range found {
		found[i] = before + "@" + found[i]
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// runs returns the runs in the folder of results.
func (s Streams) runs() []results.Listed {
	out, err := s.outFolder()
	if err != nil {
		return nil
	}
	list, _ := results.List(out) // of what cannot be read there is nothing to offer
	return slices.DeleteFunc(list, func(r results.Listed) bool { return r.Err != nil })
}

func targetNames(run results.Run) (names []string) {
	for _, target := range run.Plan.Targets {
		names = append(names, target.Name)
	}
	return names
}

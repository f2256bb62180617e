package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/results"
)

// CompleteRuns completes the folders of runs: those in the folder of results, or
// others that a shell finds.
func (s Streams) CompleteRuns(*cobra.Command, []string, string) (found []string, _ cobra.ShellCompDirective) {
	for _, run := range s.runs() {
		found = append(found, run.Dir+"\t"+strings.Join(targetNames(run.Run), ", "))
	}
	return found, cobra.ShellCompDirectiveDefault | cobra.ShellCompDirectiveKeepOrder
}

// CompleteSides completes the sides of a comparison: folders of runs, and behind an @
// the targets of the run.
func (s Streams) CompleteSides(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	at := strings.LastIndexByte(typed, '@')
	if at < 0 {
		return s.CompleteRuns(c, args, typed)
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
	out, err := s.OutFolder()
	if err != nil {
		return nil
	}
	list, _ := results.List(out) // an unreadable folder offers nothing
	return slices.DeleteFunc(list, func(r results.Listed) bool { return r.Err != nil })
}

func targetNames(run results.Run) (names []string) {
	for _, target := range run.Plan.Targets {
		names = append(names, target.Name)
	}
	return names
}

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/results"
)

// LastLong ends the help of commands that take the folders of runs.
const LastLong = `
Without a folder it is the last run: the one that began last in the folder of results
(brokerbench-results, or BROKERBENCH_OUT), where the link latest leads to it.
`

// OrLast returns paths without the link latest, if it names a run that is among them
// anyway. Without paths it returns the folder of the last run, and says which it is.
func (s Streams) OrLast(paths []string) ([]string, error) {
	if len(paths) > 0 {
		return results.WithoutLatest(paths), nil
	}
	out, err := s.OutFolder()
	if err != nil {
		return nil, err
	}
	last, err := results.Latest(out)
	if err != nil {
		return nil, Usage(fmt.Errorf("%w: want the folder of a run", err))
	}
	fmt.Fprintln(s.Err, "last run:", last.Dir())
	return []string{last.Dir()}, nil
}

// NotLast makes the link to the last run lead to the one before, if it leads to this one: a run
// that measured nothing is not the last one.
func NotLast(s *results.Store) {
	link := filepath.Join(filepath.Dir(s.Dir()), results.LatestLink)
	if base, err := os.Readlink(link); err != nil || base != filepath.Base(s.Dir()) || os.Remove(link) != nil {
		return
	}
	if last, err := results.Latest(filepath.Dir(s.Dir())); err == nil {
		last.Link()
	}
}

// OutFolder returns the folder of results that run uses, too, unless its --out names
// another one.
func (s Streams) OutFolder() (string, error) {
	env, err := s.Environment()
	return filepath.Clean(config.Overrides{Env: env}.Text("out")), err
}

// Environment returns the variables that are keys of a plan.
func (s Streams) Environment() (config.Values, error) {
	env, err := config.FromEnv(s.Environ, "BROKERBENCH_REQUIRE_BROKERS", "BROKERBENCH_LONG", "BROKERBENCH_REQUIRE_BROWSER", "BROKERBENCH_BROWSER", "BROKERBENCH_SSH", "BROKERBENCH_KUBECTL", "BROKERBENCH_IMAGE")
	return env, Usage(err)
}

// HoldsRuns explains the error of a folder that is no run's but holds some.
func HoldsRuns(dir string, err error) error {
	list, listErr := results.List(dir)
	if err == nil || listErr != nil || len(list) == 0 {
		return err
	}
	name := filepath.Join(dir, results.LatestLink)
	if _, err := os.Stat(name); err != nil {
		name = list[0].Dir
	}
	return fmt.Errorf("%s holds runs but is none itself (name one, such as %s)", dir, name)
}

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

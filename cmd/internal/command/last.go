package command

import (
	"fmt"
	"os"
	"path/filepath"

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

// OutFolder returns the folder of results that run uses, too, unless its --out names
// another one.
func (s Streams) OutFolder() (string, error) {
	env, err := s.Environment()
	return filepath.Clean(config.Overrides{Env: env}.Text("out")), err
}

// Environment returns the variables that are keys of a plan.
func (s Streams) Environment() (config.Values, error) {
	env, err := config.FromEnv(s.Environ, "BROKERBENCH_REQUIRE_BROKERS", "BROKERBENCH_REQUIRE_BROWSER", "BROKERBENCH_BROWSER", "BROKERBENCH_SSH", "BROKERBENCH_KUBECTL", "BROKERBENCH_IMAGE")
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

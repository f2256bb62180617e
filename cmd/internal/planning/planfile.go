package planning

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
)

// Take takes the plan file out of the arguments of a command that has -f, and returns the
// targets among them.
func (p *PlanFlags) Take(s command.Streams, args []string) (targets []string, err error) {
	given := ""
	for _, arg := range args {
		switch {
		case !isPlan(s, arg):
			targets = append(targets, arg)
		case given != "":
			return nil, command.Usage(fmt.Errorf("%s and %s are two plan files: want one", given, arg))
		case p.File != "":
			return nil, command.Usage(fmt.Errorf("-f %s and %s are two plan files: want one, by -f or as an argument", p.File, arg))
		default:
			given = arg
		}
	}
	if given != "" {
		p.File = given
	}
	return targets, nil
}

// isPlan tells whether an argument is a plan file and no target: its name ends as those of
// plan files do, and it is there or no URL; or it is a file, and nothing that a target is called.
func isPlan(s command.Streams, arg string) bool {
	there, err := os.Stat(arg)
	exists := err == nil && !there.IsDir()
	if hasPlanEnding(arg) {
		return exists || !strings.ContainsAny(arg, ":=")
	}
	_, unknown := s.Brokers.ByName(arg)
	return exists && !strings.Contains(arg, ":") && unknown != nil && !testbed.IsLocal(arg)
}

func hasPlanEnding(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name)))
}

// plansHere returns the plan files whose names begin as typed, and the folders that may hold
// some.
func plansHere(typed string) (found []string) {
	names, _ := filepath.Glob(typed + "*") // a bad pattern finds nothing
	for _, name := range names {
		switch there, err := os.Stat(name); {
		case err != nil:
		case there.IsDir():
			found = append(found, name+string(filepath.Separator))
		case hasPlanEnding(name):
			found = append(found, name)
		}
	}
	return found
}

// usual returns the URL that a target stands for; see [brokers.Table.Usual].
func usual(s command.Streams, text string) string {
	return s.Brokers.Usual(text, command.Lookup(s.Environ))
}

// running parses a target that must be there already.
func running(s command.Streams, text string) (brokers.Target, error) {
	if testbed.IsLocal(text) {
		return brokers.Target{}, fmt.Errorf("target %s: a run starts such a broker for itself, and leaves nothing of it: want one that runs", text)
	}
	return s.Brokers.Parse(usual(s, text))
}

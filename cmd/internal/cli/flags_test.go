package cli

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// ofCommand has the flags whose value depends on the command, though they mean the same everywhere:
// their help begins with the same words. Every other flag has the same type and the same help,
// but for the default, in all commands.
var ofCommand = map[string]string{
	"output":   "the file to write",         // of the command's formats, or in place of its argument
	"format":   "output format: ",           // the command's formats
	"fail-on":  "a gate",                    // of compare or of history
	"tag":      "tag of the values, such",   // plot draws several
	"target":   "what to measure",           // verify measures one
	"duration": "how long each cell is mea", // verify has no plan, so no list, and no key of one
	"rate":     "messages per second",       // the same
	"out":      "folder",                    // that of a canary is the same for years
}

// everyFlag calls visit with each flag of each command but --help.
func everyFlag(visit func(c *cobra.Command, f *pflag.Flag)) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" {
				visit(c, f)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(command.Streams{Brokers: brokers.All()}, nil))
}

// The name of a flag has one meaning.
func TestAFlagMeansTheSameInEveryCommand(t *testing.T) {
	byDefault := regexp.MustCompile(`\s*\(default[^)]*\)$`)
	meanings := make(map[string]map[string]string) // the first command that has it, by name and meaning
	varies := make(map[string]bool)
	everyFlag(func(c *cobra.Command, f *pflag.Flag) {
		help := byDefault.ReplaceAllString(f.Usage, "")
		meaning := fmt.Sprintf("-%s %s: %s", f.Shorthand, f.Value.Type(), help)
		if meanings[f.Name] == nil {
			meanings[f.Name] = make(map[string]string)
		}
		varies[f.Name] = varies[f.Name] || len(meanings[f.Name]) > 0 && meanings[f.Name][meaning] == ""
		if begins, ok := ofCommand[f.Name]; ok && !strings.HasPrefix(help, begins) {
			t.Errorf("%s --%s: help %q, want it to begin with %q", c.CommandPath(), f.Name, help, begins)
		}
		meanings[f.Name][meaning] = c.CommandPath()
	})
	for name, list := range meanings {
		if _, may := ofCommand[name]; varies[name] != may {
			t.Errorf("--%s: %d meanings, may differ: %v: %v", name, len(list), may, list)
		}
	}
	if len(meanings) < 60 {
		t.Errorf("%d flags, want all: %v", len(meanings), slices.Sorted(maps.Keys(meanings)))
	}
}

// --help --all shows every flag of every command.
func TestHelpWithAllShowsEveryFlag(t *testing.T) {
	shown := make(map[string]string)
	everyFlag(func(c *cobra.Command, f *pflag.Flag) {
		path := c.CommandPath()
		if shown[path] == "" {
			code, stdout, stderr := invoke(append(strings.Fields(path)[1:], "--help", "--all")...)
			wantCode(t, code, command.ExitGood, stderr)
			shown[path] = stdout
		}
		if f.Name != "all" && !regexp.MustCompile(`(?m)^ +(-., )?--`+f.Name+`\b`).MatchString(shown[path]) {
			t.Errorf("%s --help --all does not show --%s", path, f.Name)
		}
		if f.Hidden && f.Name != "all" {
			t.Errorf("%s --%s is hidden from --all, too", path, f.Name)
		}
	})
	for _, path := range []string{"doctor", "plan", "list"} {
		code, _, stderr := invoke(path, "--all")
		wantCode(t, code, command.ExitUsage, stderr)
	}
	_, short, _ := invoke("doctor", "--help")
	_, long, _ := invoke("help", "doctor", "--all")
	if wantTexts(t, short, "--all"); strings.Contains(short, "--spin") || long != shown["brokerbench doctor"] {
		t.Errorf("help is\n%s\nand with --all\n%s", short, long)
	}
}

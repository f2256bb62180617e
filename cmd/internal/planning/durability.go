package planning

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/powercut"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/requester"
)

// NewDurability returns the command `durability`.
func NewDurability(s command.Streams) *cobra.Command {
	var p command.Printing
	c := &cobra.Command{
		Use:   "durability [LEVEL]",
		Short: "Show what an acknowledged message survives on each broker",
		Long: `Show the levels of durability. Each is a failure that an acknowledged message survives,
if everything else goes on. Each level includes those before it. A run with
--durability LEVEL sets the options that are shown, asks each broker for its own
configuration, and measures nothing if that does not back the level.`,
		Example: `  brokerbench durability
  brokerbench durability machine
  brokerbench run nats redis rabbitmq kafka --durability process`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(levelWords(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.Check(); err != nil {
				return err
			}
			levels := requester.Durabilities()
			if len(args) > 0 {
				level := requester.Durability(args[0])
				if !level.Valid() {
					return command.Usage(fmt.Errorf("durability %q: there are none, accepted, process, machine and node", args[0]))
				}
				levels = []requester.Durability{level}
			}
			return p.Show(s, showLevels(levels, s.Brokers))
		},
	}
	p.Define(c.Flags())
	return c
}

// levelWords returns the words of the levels with their meaning, for shell completion.
func levelWords() (list []string) {
	for _, d := range requester.Durabilities() {
		list = append(list, string(d)+"\t"+d.Meaning())
	}
	return list
}

// A guarantee is how one broker keeps one level, as JSON.
type guarantee struct {
	Broker  string `json:"broker"`
	Level   string `json:"level"`
	Options string `json:"options"` // that the level sets, as the query of a URL
	Server  string `json:"server,omitempty"`
	Asked   string `json:"asked,omitempty"` // how the server is asked for that
	Note    string `json:"note,omitempty"`

	Tested []powercut.Test `json:"power_cuts,omitempty"` // with which the level was tested
}

// showLevels shows how each broker keeps each of the levels.
func showLevels(levels []requester.Durability, table brokers.Table) *document.Document {
	exact, all := document.Table{Head: []string{"level", "broker", "options", "server", "asked", "note"}}, []guarantee{}
	var d document.Document
	for _, level := range levels {
		var list []guarantee
		for _, b := range table {
			if l, ok := levelOf(b, level); ok {
				p := guarantee{b.Name, string(level), l.Options, l.Server, l.Asked, l.Note, powercut.Of(b.Name, level)}
				list, exact.Rows = append(list, p), append(exact.Rows, []string{p.Level, p.Broker, p.Options, p.Server, p.Asked, p.Note})
			}
		}
		d.Title(string(level) + ": " + level.Meaning())
		showLevel(&d, list)
		all = append(all, list...)
	}
	d.Exact(exact, all)
	return &d
}

// showLevel shows how each broker keeps one level.
func showLevel(d *document.Document, list []guarantee) {
	text := document.Table{Head: []string{"broker", "options", "the server's own configuration"}}
	whole := document.Table{Head: append(text.Head[:3:3], "asked by")}
	for _, p := range list {
		row := []string{p.Broker, cmp.Or(strings.ReplaceAll(p.Options, "&", " "), "-"), cmp.Or(p.Server, "-")}
		text.Rows, whole.Rows = append(text.Rows, row), append(whole.Rows, append(row[:3:3], cmp.Or(p.Asked, "-")))
	}
	d.ShowAs(text.Text(), whole)
	for _, p := range list {
		if p.Asked != "" { // a terminal has no room for one column more
			d.Add("  "+p.Broker+" is asked: "+p.Asked+"\n", "")
		}
		if p.Note != "" {
			d.Note("  " + p.Broker + ": " + p.Note)
		}
	}
	d.Note(tested(list)...)
	d.Add("\n", "")
}

// tested says which of the brokers were tested by power cuts, if their level promises to survive one.
func tested(list []guarantee) (notes []string) {
	var untested []string
	for _, p := range list {
		if !powercut.Testable(requester.Durability(p.Level)) {
			return nil
		}
		for _, t := range p.Tested {
			notes = append(notes, fmt.Sprintf("  %s was tested by power cut: %s", p.Broker, t))
		}
		if len(p.Tested) == 0 {
			untested = append(untested, p.Broker)
		}
	}
	return append(notes, "  By configuration only, without a power cut: "+words.And(untested))
}

func levelOf(b brokers.Broker, level requester.Durability) (target.Level, bool) {
	if b.Durability == nil {
		return target.Level{}, false
	}
	for _, list := range b.Durability() {
		if list.Durability == level {
			return list, true
		}
	}
	return target.Level{}, false
}

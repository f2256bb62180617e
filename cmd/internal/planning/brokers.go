package planning

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/powercut"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/requester"
)

// NewBrokers returns the command `brokers`.
func NewBrokers(s command.Streams) *cobra.Command {
	var p command.Printing
	c := &cobra.Command{
		Use:   "brokers [NAME]",
		Short: "List the brokers and their abilities, or the options of one with their defaults",
		Example: `  brokerbench brokers
  brokerbench brokers kafka`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeBroker(s.Brokers),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.Check(); err != nil {
				return err
			}
			if len(args) == 0 {
				return showBrokers(s, &p)
			}
			b, err := s.Brokers.ByName(args[0])
			if err != nil {
				return command.Usage(err)
			}
			return p.Show(s, describeBroker(b))
		},
	}
	p.Define(c.Flags())
	return c
}

func completeBroker(table brokers.Table) cobra.CompletionFunc {
	var names []string
	for _, b := range table {
		names = append(names, b.Name+"\t"+b.Summary)
	}
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
}

// namesOf returns the brokers that a name stands for, for the completion of a shell.
func namesOf(table brokers.Table) (names []string) {
	for _, b := range table {
		if b.Usual != "" {
			names = append(names, b.Name+"\t"+b.Usual)
		}
	}
	return names
}

// schemes returns how the URLs of all brokers begin, for the completion of a shell.
func schemes(table brokers.Table) (urls []string) {
	for _, b := range table {
		after := ":"
		if strings.Contains(b.Example, "://") {
			after = "://"
		}
		for _, scheme := range b.Schemes {
			urls = append(urls, scheme+after+"\t"+b.Summary)
		}
	}
	return urls
}

// showBrokers lists brokers and their abilities; as JSON with all of their options.
func showBrokers(s command.Streams, p *command.Printing) error {
	list, able, all := document.Table{Head: []string{"broker", "schemes", "what"}}, document.Table{Head: abilityHead()}, []broker{}
	for _, b := range s.Brokers {
		described := newBroker(b)
		list.Rows = append(list.Rows, []string{b.Name, strings.Join(b.Schemes, ", "), b.Summary})
		var err error
		if described.Abilities, err = b.Abilities(); err != nil {
			return fmt.Errorf("broker %s: %w", b.Name, err)
		}
		described.Levels = b.Levels()
		able.Rows = append(able.Rows, abilityRows(described)...)
		all = append(all, described)
	}
	var d document.Document
	d.Show(list)
	d.Gap()
	d.Show(able)
	d.Note(abilityNotes()...)
	d.Exact(list, all)
	return p.Show(s, &d)
}

// abilityHead returns the heads of the columns of abilityRows.
func abilityHead() []string {
	return []string{"broker and options", "acks", "up to", "groups", "keys", "headers", "backlog", "audit", "leader", "clean"}
}

// abilityNotes explain the columns.
func abilityNotes() []string {
	return []string{
		"All carry a message there and back. The other abilities depend on options: those that are shown, or none. ?: the command decides.",
		"acks: the broker acknowledges messages. up to: the highest level of durability that a target may ask for; see brokerbench durability.",
		"Levels machine and node were tested by power cut with " + testedVersions() + ", see docs/durability.md; those of others are by configuration only.",
		"groups: of consumers, whose members may come and go; one: a group has one member.",
		"keys: of messages; topics: with groups only, and the key chooses the topic. headers: messages can have them.",
		"backlog: a group keeps messages while its members are away. audit: the messages that the broker has stored are read after a cell.",
		"leader: the node that leads is found. clean: brokerbench clean removes what earlier runs left.",
	}
}

// testedVersions names the brokers whose power was cut.
func testedVersions() string {
	var names []string
	for _, t := range powercut.All() {
		names = append(names, t.Name())
	}
	slices.Sort(names)
	return words.And(slices.Compact(names))
}

// abilityRows returns a row for each mode of a broker.
func abilityRows(b broker) (rows [][]string) {
	if len(b.Abilities) == 0 {
		return [][]string{append([]string{b.Name}, slices.Repeat([]string{"?"}, len(abilityHead())-1)...)}
	}
	for _, a := range b.Abilities {
		name, level := "  "+strings.ReplaceAll(a.Options, "&", " "), ""
		if a.Options == "" {
			name = b.Name
		}
		if len(b.Levels) > 0 {
			level = string(b.Levels[len(b.Levels)-1])
		}
		yes := func(is bool) string { return choose(is, "yes", "-") }
		rows = append(rows, []string{
			name, yes(a.Acknowledges), cmp.Or(level, "-"), choose(a.Groups && !a.Members, "one", yes(a.Groups)),
			choose(a.KeyedTopics && !a.Keys, "topics", yes(a.Keys)), yes(a.Headers), yes(a.Backlog), yes(a.Audit), yes(a.Leader), yes(a.Clean),
		})
	}
	return rows
}

func choose(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// describeBroker lists the options of a broker with their defaults.
func describeBroker(b brokers.Broker) *document.Document {
	t, described := document.Table{Head: []string{"option", "default", "what"}}, newBroker(b)
	for _, o := range described.Options {
		t.Rows = append(t.Rows, []string{o.Name, cmp.Or(o.Default, `""`), o.Doc})
	}
	var d document.Document
	d.Add(fmt.Sprintf("%s: %s\n\nSchemes: %s\nExample: %s\n\n", b.Name, b.Summary, strings.Join(b.Schemes, ", "), b.Example), "")
	if len(t.Rows) == 0 {
		d.Add("It has no options.\n", "")
	} else {
		d.Add("Options and their defaults. Put them into the query of the URL, or under options: in a plan file:\n", "")
		d.Show(t)
	}
	d.Exact(t, described)
	return &d
}

// A broker is one as JSON.
type broker struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Schemes []string `json:"schemes"`
	Example string   `json:"example"`
	Options []option `json:"options"`

	Levels    []requester.Durability `json:"durability,omitempty"` // with Abilities: for the list of all brokers
	Abilities []brokers.Abilities    `json:"abilities,omitempty"`
}

type option struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
}

// newBroker has the options of the broker's last scheme: the encrypted one has all
// that the plain one has.
func newBroker(b brokers.Broker) broker {
	described := broker{Name: b.Name, Summary: b.Summary, Schemes: b.Schemes, Example: b.Example, Options: []option{}}
	if b.Options == nil {
		return described
	}
	for _, o := range b.Options(b.Schemes[len(b.Schemes)-1]) {
		described.Options = append(described.Options, option{o.Name, o.Value, o.Doc})
	}
	return described
}

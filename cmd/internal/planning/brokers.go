package planning

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// NewBrokers returns the command `brokers`.
func NewBrokers(s command.Streams) *cobra.Command {
	var p command.Printing
	c := &cobra.Command{
		Use:   "brokers [NAME]",
		Short: "List the brokers, or the options of one with their defaults",
		Example: `  brokerbench brokers
  brokerbench brokers kafka`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeBroker(s.Brokers),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.Check(); err != nil {
				return err
			}
			if len(args) == 0 {
				return p.Show(s, listBrokers(s.Brokers))
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

// listBrokers lists brokers; as JSON with all of their options.
func listBrokers(list brokers.Table) *document.Document {
	t, all := document.Table{Head: []string{"broker", "schemes", "what"}}, []broker{}
	for _, b := range list {
		t.Rows = append(t.Rows, []string{b.Name, strings.Join(b.Schemes, ", "), b.Summary})
		all = append(all, newBroker(b))
	}
	var d document.Document
	d.Show(t)
	d.Exact(t, all)
	return &d
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

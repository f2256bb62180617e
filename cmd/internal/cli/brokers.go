package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/report/document"
)

func newBrokers(s Streams) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "brokers [NAME]",
		Short: "List the brokers, or every option of one with its default",
		Example: `  brokerbench brokers
  brokerbench brokers kafka`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeBroker,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkFormat("output", format, formats()); err != nil {
				return err
			}
			if len(args) == 0 {
				return listBrokers(s.Out, format)
			}
			b, err := brokers.ByName(args[0])
			if err != nil {
				return usage(err)
			}
			return describeBroker(s.Out, format, b)
		},
	}
	defineFormat(c.Flags(), &format)
	return c
}

func completeBroker(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, b := range brokers.All() {
		names = append(names, b.Name+"\t"+b.Summary)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// described is a broker as JSON.
type described struct {
	Name    string           `json:"name"`
	Summary string           `json:"summary"`
	Schemes []string         `json:"schemes"`
	Example string           `json:"example"`
	Options []describedValue `json:"options"`
}

type describedValue struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Doc     string `json:"doc"`
}

// describe has the options of the broker's richest scheme: the encrypted one has
// all that the plain one has.
func describe(b brokers.Broker) described {
	d := described{Name: b.Name, Summary: b.Summary, Schemes: b.Schemes, Example: b.Example, Options: []describedValue{}}
	for _, o := range b.Options(b.Schemes[len(b.Schemes)-1]) {
		d.Options = append(d.Options, describedValue{o.Name, o.Value, o.Doc})
	}
	return d
}

func listBrokers(w io.Writer, format string) error {
	s, all := document.Table{Head: []string{"broker", "schemes", "what"}}, []described{}
	for _, b := range brokers.All() {
		s.Rows = append(s.Rows, []string{b.Name, strings.Join(b.Schemes, ", "), b.Summary})
		all = append(all, describe(b))
	}
	return printSheet(w, format, s, all)
}

func describeBroker(w io.Writer, format string, b brokers.Broker) error {
	d, s := describe(b), document.Table{Head: []string{"option", "default", "what"}}
	for _, o := range d.Options {
		s.Rows = append(s.Rows, []string{o.Name, cmp.Or(o.Default, `""`), o.Doc})
	}
	if format == "table" {
		fmt.Fprintf(w, "%s: %s\n\nSchemes: %s\nExample: %s\n\n", b.Name, b.Summary, strings.Join(b.Schemes, ", "), b.Example)
		fmt.Fprintln(w, "Options, in the query of the URL or under options: in a plan file, with their defaults:")
	}
	return printSheet(w, format, s, d)
}

package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
)

func newBrokers(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "brokers [NAME]",
		Short: "List the brokers, or every option of one with its default",
		Example: `  brokerbench brokers
  brokerbench brokers kafka`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeBroker,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listBrokers(s.Out)
			}
			b, err := brokers.ByName(args[0])
			if err != nil {
				return usage(err)
			}
			return describeBroker(s.Out, b)
		},
	}
}

func completeBroker(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	for _, b := range brokers.All() {
		names = append(names, b.Name+"\t"+b.Summary)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func listBrokers(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, b := range brokers.All() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", b.Name, strings.Join(b.Schemes, ", "), b.Summary)
	}
	return t.Flush()
}

// describeBroker lists the options of the broker's richest scheme: the encrypted
// one has all that the plain one has.
func describeBroker(w io.Writer, b brokers.Broker) error {
	fmt.Fprintf(w, "%s: %s\n\nSchemes: %s\nExample: %s\n\n", b.Name, b.Summary, strings.Join(b.Schemes, ", "), b.Example)
	fmt.Fprintln(w, "Options, in the query of the URL or under options: in a plan file, with their defaults:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, o := range b.Options(b.Schemes[len(b.Schemes)-1]) {
		value := o.Value
		if value == "" {
			value = `""`
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", o.Name, value, o.Doc)
	}
	return t.Flush()
}

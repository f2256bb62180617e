package cli

import (
	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
)

func newBrokers(s Streams) *cobra.Command {
	var format document.Format
	c := &cobra.Command{
		Use:   "brokers [NAME]",
		Short: "List the brokers, or the options of one with their defaults",
		Example: `  brokerbench brokers
  brokerbench brokers kafka`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeBroker,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return s.show(report.Brokers(brokers.All()), format)
			}
			b, err := brokers.ByName(args[0])
			if err != nil {
				return usage(err)
			}
			return s.show(report.Broker(b), format)
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

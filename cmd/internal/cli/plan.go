package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
)

func newPlan(s Streams) *cobra.Command {
	var flags planFlags
	var p printing
	c := &cobra.Command{
		Use:   "plan [PLAN] [TARGET...]",
		Short: "Print what would be measured, and how long it would take",
		Example: `  brokerbench plan deploy/plans/classic.yaml
  brokerbench plan nats://127.0.0.1:4222 --rate 3000,20000`,
		ValidArgsFunction: s.completeTargets,
		RunE: func(_ *cobra.Command, args []string) error {
			targets, err := flags.take(s, args)
			if err != nil {
				return err
			}
			resolved, own, err := flags.plan(s, targets)
			if err == nil {
				err = p.check(flags.file)
			}
			store, storeErr := storeFor(flags.durability)
			if err == nil && own {
				err = usage(storeErr)
			}
			if err != nil {
				return err
			}
			return p.show(s, planned(resolved, own, store))
		},
	}
	flags.define(c.Flags(), "out")
	p.define(c.Flags())
	return c
}

// planned shows a plan without passwords. own says that the target is the NATS
// server that `run` starts itself, with that store.
func planned(p plan.Plan, own bool, store child.Store) *document.Document {
	if own {
		p.Targets = []plan.Target{ownTarget("a NATS server of brokerbench's own" + with(store))}
	}
	p.Targets = slices.Clone(p.Targets)
	for i := range p.Targets {
		p.Targets[i] = p.Targets[i].Redacted(brokers.Redact)
	}
	return report.Plan(p)
}

// with describes a store; "" if there is none.
func with(store child.Store) string {
	switch store {
	case child.Files:
		return ", with streams in files"
	case child.Synced:
		return ", with streams in files, and fsync before each acknowledgement"
	case child.NoStore:
	}
	return ""
}

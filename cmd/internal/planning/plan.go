package planning

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// NewPlan returns the command `plan`.
func NewPlan(s command.Streams) *cobra.Command {
	var flags PlanFlags
	var p command.Printing
	c := &cobra.Command{
		Use:   "plan [PLAN] [TARGET...]",
		Short: "Print the cells of a plan and the time that they take",
		Example: `  brokerbench plan deploy/plans/classic.yaml
  brokerbench plan nats://127.0.0.1:4222 --rate 3000,20000`,
		ValidArgsFunction: CompleteTargets(s),
		RunE: func(_ *cobra.Command, args []string) error {
			targets, err := flags.Take(s, args)
			if err != nil {
				return err
			}
			resolved, own, err := flags.Plan(s, targets)
			if err == nil {
				err = p.Check(flags.File)
			}
			store, storeErr := StoreFor(flags.Durability)
			if err == nil && own {
				err = command.Usage(storeErr)
			}
			if err != nil {
				return err
			}
			return p.Show(s, Planned(resolved, own, store))
		},
	}
	flags.Define(c.Flags(), "out")
	p.Define(c.Flags())
	return c
}

// Planned shows a plan without passwords. own says that the target is the NATS
// server that `run` starts itself, with that store.
func Planned(p plan.Plan, own bool, store child.Store) *document.Document {
	if own {
		p.Targets = []plan.Target{OwnTarget("a NATS server of brokerbench's own" + with(store))}
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

// StoreFor returns the store of the server that `run` starts if no target is given.
func StoreFor(durability string) (child.Store, error) {
	switch durability {
	case "", string(requester.None):
		return child.NoStore, nil
	case string(requester.Machine):
		return child.Synced, nil
	case string(requester.Node):
		return "", errors.New("--durability node needs three nodes: name a target, such as nats://h1,h2,h3")
	}
	return child.Files, nil
}

// OwnTarget is the target that `run` starts if none is given.
func OwnTarget(url string) plan.Target { return plan.Target{Name: "nats", URL: url} }

package testbed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// CheckAcks rejects objectives of acknowledgements for targets that acknowledge nothing.
func (t Targets) CheckAcks(cells ...plan.Cell) error {
	var errs []error
	for _, of := range group.By(cells, func(c plan.Cell) string { return c.Target.URL }) {
		target, slos := of[0].Target, of[0].SLOs
		i := slices.IndexFunc(slos, func(o plan.Objective) bool { return o.Series == "ack" || o.Series == "complete" })
		if i < 0 {
			continue
		}
		switch acknowledges, err := t.acknowledges(target); {
		case err != nil:
			errs = append(errs, err)
		case !acknowledges:
			errs = append(errs, fmt.Errorf("--slo %v: target %s acknowledges nothing with these options: leave it out, or ask for --durability accepted or more", slos[i], target.Name))
		}
	}
	return errors.Join(errs...)
}

// acknowledges asks a connection of a target that connects to nothing.
func (t Targets) acknowledges(one plan.Target) (bool, error) {
	f, err := t.Parsed[one.URL].Open("check")
	if err != nil {
		return false, err
	}
	r, err := f.New(0, requester.Replies(func([]byte) {}))
	if err != nil {
		return false, err
	}
	return r.Traits().Acknowledges, r.Teardown(context.Background())
}

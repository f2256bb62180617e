package cli

import (
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A run is good only if each level that was asked for is verified and still holds.
func TestExitCodesOfLevels(t *testing.T) {
	const good, invalid, machine = command.ExitGood, command.ExitInvalid, requester.Machine
	unknown := []string{"sync_interval is not known"}
	for name, tt := range map[string]struct {
		backing *requester.Backing
		allowed bool
		was     int
		want    int
	}{
		"no levels":             {nil, false, good, good},
		"verified":              {&requester.Backing{Level: machine, Asked: machine}, false, good, good},
		"not verified":          {&requester.Backing{Level: machine, Asked: machine, NotVerified: unknown}, false, good, invalid},
		"not verified, allowed": {&requester.Backing{Level: machine, Asked: machine, NotVerified: unknown}, true, good, good},
		"not asked for":         {&requester.Backing{Level: machine, NotVerified: unknown}, false, good, good},
		"withdrawn":             {&requester.Backing{Level: requester.Accepted, Withdrawn: machine}, true, good, invalid},
		"forced":                {&requester.Backing{Level: requester.Accepted, Asked: machine}, false, good, good},
		"a missed objective":    {&requester.Backing{Level: machine, Asked: machine, NotVerified: unknown}, false, command.ExitMissed, command.ExitMissed},
	} {
		o := measureOptions{allowUnverified: tt.allowed}
		if got := o.backed(tt.was, &results.Cell{}, &results.Cell{Broker: results.Broker{Durability: tt.backing}}); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", name, got, tt.want)
		}
	}
}

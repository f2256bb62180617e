package network

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/relay"
)

// patience bounds how long the network may take to change.
const patience = 30 * time.Second

// Set makes the network of a machine, by its index, be in a state, from now on, whoever speaks
// with it. Of what Shapes says no to, only Deaf and Mute count.
func (w *Network) Set(machine int, s relay.State) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.Shapes(s) {
		s = relay.State{Deaf: s.Deaf, Mute: s.Mute}
	}
	before := w.states[machine]
	w.states[machine] = s
	if s.Deaf != before.Deaf || s.Mute != before.Mute {
		if err := w.rules(ctx); err != nil {
			return err
		}
	}
	s.Deaf, s.Mute, before.Deaf, before.Mute = false, false, false, false
	if s == before {
		return nil
	}
	return w.shape(ctx, machine, s)
}

// rules has the switch pass on what the states let through.
func (w *Network) rules(ctx context.Context) error {
	_, err := run(ctx, rulesOf(w.states), "nsenter", "--net=/run/netns/"+w.hub, "nft", "-f", "-")
	if err != nil {
		return fmt.Errorf("the kernel must have nftables for bridges: %w", err)
	}
	return nil
}

// rulesOf returns what the switch passes on, to be read by nft, which changes all of it at once.
// Whose address a machine has is always answered, as by a router in between: else who sends
// would be told that nobody is there.
func rulesOf(states []relay.State) string {
	const table = "table bridge brokerbench"
	rules := []string{table, "delete " + table, table + " {", "chain passing {", "type filter hook forward priority 0; policy accept;", "ether type arp accept"}
	for i, s := range states {
		if s.Deaf {
			rules = append(rules, fmt.Sprintf("oifname %q drop", port(i)))
		}
		if s.Mute {
			rules = append(rules, fmt.Sprintf("iifname %q drop", port(i)))
		}
	}
	return strings.Join(append(rules, "}", "}", ""), "\n")
}

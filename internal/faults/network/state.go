package network

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// patience bounds how long the network may take to change.
const patience = 30 * time.Second

// Set puts the network of a machine, by its index, into a state from now on, for all of its
// peers. If Shapes rejects the state, only Deaf and Mute apply.
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
	_, err := process.Output(ctx, rulesOf(w.states), "nsenter", "--net=/run/netns/"+w.hub, "nft", "-f", "-")
	if err != nil {
		return fmt.Errorf("the kernel must have nftables for bridges: %w", err)
	}
	return nil
}

// rulesOf returns the switch's rules as input for nft, which applies all of them at once. ARP
// requests are always answered, as by a router in between. Otherwise a sender would get the
// error that the host is unreachable.
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

package network

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// shapes are the means that the kernel has to make a network slow and narrow.
type shapes struct{ netem, tbf bool }

// probe tries them out, on a link that is not used yet.
func (w *Network) probe(ctx context.Context) (s shapes) {
	try := func(args ...string) bool {
		_, err := process.Output(ctx, "", append([]string{"tc", "-n", w.hub, "qdisc", "replace", "dev", uplink, "root"}, args...)...)
		if err == nil {
			_, err = process.Output(ctx, "", "tc", "-n", w.hub, "qdisc", "del", "dev", uplink, "root")
		}
		return err == nil
	}
	return shapes{netem: try("netem", "delay", "1ms"), tbf: try("tbf", "rate", "1mbit", "burst", "16kb", "latency", "1s")}
}

// Shapes tells whether the kernel can make the network as slow and narrow as a state says:
// without netem it can only make it narrow.
func (w *Network) Shapes(s relay.State) bool { return w.shapes.can(s) }

func (k shapes) can(s relay.State) bool {
	slow := s.Delay > 0 || s.Jitter > 0 || s.Loss > 0
	return !slow && s.Throttle == 0 || k.netem || k.tbf && !slow
}

// shape sets or removes the delay and bandwidth limit of a machine's network: outgoing packets
// are shaped as they leave the machine, incoming packets as they leave the switch.
func (w *Network) shape(ctx context.Context, machine int, s relay.State) error {
	for _, end := range [][]string{{w.Machines[machine].Namespace, inside}, {w.hub, port(machine)}} {
		args := []string{"tc", "-n", end[0], "qdisc"}
		if discipline := w.shapes.of(s); discipline != nil {
			args = append(append(args, "replace", "dev", end[1], "root"), discipline...)
		} else {
			args = append(args, "del", "dev", end[1], "root")
		}
		if _, err := process.Output(ctx, "", args...); err != nil {
			return err
		}
	}
	return nil
}

// How many packets may wait in a slow network, and bytes in a narrow one, as many as in a
// relay; and how many bytes come through that at once: more than the largest packet of a virtual
// link, which has 64 KiB.
const (
	queue = 100_000
	held  = 4 << 20
	burst = 128 << 10
)

// unbounded is a rate that no link here reaches, in bytes per second.
const unbounded = 100_000_000_000

// of returns the queueing discipline of a state; nil for the usual one. With a rate netem keeps
// packets in their order, whatever the jitter.
func (k shapes) of(s relay.State) []string {
	switch {
	case s.Delay == 0 && s.Jitter == 0 && s.Loss == 0 && s.Throttle == 0:
		return nil
	case !k.netem:
		return []string{"tbf", "rate", bytesPerSecond(s.Throttle), "burst", strconv.Itoa(burst), "limit", strconv.Itoa(held)}
	}
	args := []string{"netem", "limit", strconv.Itoa(queue)}
	if s.Delay > 0 {
		args = append(args, "delay", micros(s.Delay), micros(s.Jitter))
	}
	if s.Loss > 0 {
		args = append(args, "loss", strconv.FormatFloat(100*s.Loss, 'f', -1, 64)+"%")
	}
	rate := s.Throttle
	if rate == 0 {
		rate = unbounded
	}
	return append(args, "rate", bytesPerSecond(rate))
}

func micros(d time.Duration) string { return fmt.Sprintf("%dus", d.Microseconds()) }

func bytesPerSecond(n int64) string { return fmt.Sprintf("%dbps", n) } // as tc calls bytes

package testbed

import (
	"errors"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/faults/impact"
	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/faults/network"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// linkFaults adds the wing that makes faults happen.
func linkFaults(w *wings) {
	w.checkFault, w.checkNetwork, w.serve = checkFault, network.Check, append(w.serve, relay.ServeProcess)
}

// An injector makes the faults of a run happen.
type injector struct {
	bed *Testbed

	relays  *relay.Process   // of the target that is measured; nil: there are none
	of      []relay.Options  // where they stand
	network *network.Network // of its nodes; nil if they are not machines of their own
}

// Open is run.Runner.Open: if the network is to break, clients dial relays.
func (b *injector) Open(t plan.Target, run string) (requester.Factory, error) {
	parsed := b.bed.Targets.Parsed[t.URL]
	if !b.relayed(t) { // those of another target may be left
		if err := b.Close(); err != nil {
			return nil, err
		}
		return parsed.Open(run)
	}
	if err := b.relay(t); err != nil {
		return nil, err
	}
	if err := b.listening(t); err != nil {
		return nil, err
	}
	return parsed.Through(b.via()).Open(run)
}

// listening returns an error if no node of a running target accepts connections. The relays
// would still accept them, so that a client would only see its connections end.
func (b *injector) listening(t plan.Target) (err error) {
	if starts(t) {
		return nil
	}
	for i := len(b.of) - 1; i >= 0; i-- { // the error is the first one's
		c, refused := (&net.Dialer{Timeout: lookTime}).Dial("tcp", b.of[i].Backend)
		if !errors.Is(refused, syscall.ECONNREFUSED) {
			if refused == nil {
				_ = c.Close()
			}
			return nil // what else may be wrong the client says
		}
		err = refused
	}
	url, _ := target.Parse(t.URL) // it was parsed before
	return target.Explain(url, "connecting", err)
}

// lookTime is how long a node may take to say whether anybody listens.
const lookTime = 2 * time.Second

// via returns where the addresses of nodes are dialled.
func (b *injector) via() map[string]string {
	via := make(map[string]string)
	for i, o := range b.of {
		if o.Listen != "" {
			continue // the node itself leads its clients there
		}
		for _, name := range aliases(o.Backend) {
			via[name] = b.relays.Addresses[i]
		}
	}
	return via
}

// Via returns where the addresses of a target's nodes are dialled.
func (b *injector) Via(t plan.Target) (map[string]string, error) {
	if !b.relayed(t) {
		return nil, nil
	}
	if err := b.relay(t); err != nil {
		return nil, err
	}
	return b.via(), nil
}

// aliases returns what an address may be called: this machine has several names.
func aliases(addr string) []string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return []string{addr}
	}
	return []string{addr, "localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port}
}

// relay makes relays stand in front of the nodes of a target.
func (b *injector) relay(t plan.Target) (err error) {
	var at []relay.Options
	for _, n := range b.nodes(t) {
		o := relay.Options{Backend: n.Address}
		if behind, ok := n.Fronts[n.Address]; ok {
			o = relay.Options{Listen: n.Address, Backend: behind}
		}
		at = append(at, o)
	}
	if b.relays != nil && slices.Equal(at, b.of) {
		return nil
	}
	if err := b.Close(); err != nil {
		return err
	}
	b.relays, err = relay.StartProcess(at)
	b.of = at
	return err
}

// Driver implements run.Runner.Faults.
func (b *injector) Driver(cell plan.Cell) (_ run.FaultDriver, err error) {
	o := inject.Options{Nodes: b.nodes(cell.Target), Spare: []string{b.bed.Results}, Redact: brokers.Redact}
	if b.relays != nil || b.network != nil {
		o.Network, o.By = b.set, b.means
	}
	err = b.bed.starter.startGuardian() // internal/systems
	o.Guard = b.bed.starter.removes     // internal/systems
	return impact.New(cell, impact.Options{Injector: inject.New(cell, o), GiveUp: b.bed.GiveUp, Redact: brokers.Redact}), err
}

// faultsOfPart returns what records and, of consumers, makes the faults in an agent's part of a
// cell; nil if it has none.
func faultsOfPart(cell plan.Cell, part schedule.Part, giveUp <-chan struct{}) (run.FaultDriver, error) {
	if len(cell.Settings.Faults) == 0 {
		return nil, nil
	}
	cell, err := cell.Part(part)
	return impact.New(cell, impact.Options{GiveUp: giveUp, Redact: brokers.Redact, Part: true}), err
}

// nodes returns the nodes of the target that is measured: those of its system, or its hosts.
func (b *injector) nodes(t plan.Target) (list []inject.Node) {
	list = b.bed.starter.running() // internal/systems
	if list != nil {
		return list
	}
	for _, n := range b.bed.Targets.hosts(t).Nodes {
		list = append(list, inject.Node{Node: n})
	}
	return list
}

// Close ends the relays.
func (b *injector) Close() (err error) {
	if b.relays != nil {
		err = b.relays.Stop()
	}
	b.relays, b.of = nil, nil
	return err
}

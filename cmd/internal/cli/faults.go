package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/internal/process"
	"github.com/brokerbench/brokerbench/internal/relay"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/measure/inject"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/system/guardian"
	"github.com/brokerbench/brokerbench/system/local"
)

// A breaking is who breaks what the faults of a run say. It is used from one goroutine.
type breaking struct {
	systems *systems
	targets targets
	spare   []string // whose disks are never filled

	relays *child.Relays   // of the target that is measured; nil: there are none
	of     []relay.Options // where they stand
}

func newBreaking(s *systems, faults []plan.Fault, results string) *breaking {
	s.faults = faults
	return &breaking{systems: s, targets: s.targets, spare: []string{results}}
}

// advertises tells whether the nodes of a target lead its clients to addresses that they
// cannot be led away from: the clients of the others dial where they are told to.
func advertises(t brokers.Target) bool { return t.Broker.Name == "rabbitmq-stream" }

// open implements measure.Runner.Open: if the network is to break, clients dial relays.
func (b *breaking) open(t plan.Target, run string) (requester.Factory, error) {
	parsed := b.targets.parsed[t.URL]
	if !b.relayed(t) { // those of another target may be left
		if err := b.stop(); err != nil {
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

// listening returns an error if no node of a target that runs already takes connections: its
// relays do all the same, so that a client sees them end and nothing more.
func (b *breaking) listening(t plan.Target) (err error) {
	if b.systems.Starts(t) {
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
func (b *breaking) via() map[string]string {
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

// elsewhere returns a target as another process on this machine reaches it, and where its
// addresses are dialled. Its system is started.
func (b *breaking) elsewhere(t plan.Target) (_ plan.Target, via map[string]string, err error) {
	if b.relayed(t) {
		if err := b.relay(t); err != nil {
			return t, nil, err
		}
		via = b.via()
	}
	if ready := b.systems.prepared; ready != nil && b.systems.of == t {
		t.URL = ready.URL
	}
	t.System = nil // it is for this process alone
	return t, via, nil
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
func (b *breaking) relay(t plan.Target) (err error) {
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
	if err := b.stop(); err != nil {
		return err
	}
	b.relays, err = child.StartRelays(at)
	b.of = at
	return err
}

// breaker implements measure.Runner.Breaker.
func (b *breaking) breaker(cell plan.Cell) (measure.Breaker, error) {
	o := inject.Options{Nodes: b.nodes(cell.Target), Spare: b.spare, Redact: brokers.Redact}
	if b.relays != nil || b.systems.machines() != nil {
		o.Network, o.By = b.network, b.means
	}
	guard, err := b.systems.guarding()
	if err != nil {
		return nil, err
	}
	o.Guard = func(left inject.Leftover) (func() error, error) {
		undo := guardian.Undo{Remove: left.File}
		if left.File == "" {
			undo = guardian.Undo{Kill: &left.Process}
		}
		entry, err := guard.Before(undo)
		return func() error { return guard.Forget(entry) }, err
	}
	return inject.New(cell, o), nil
}

// nodes returns the nodes of the target that is measured: those of its system, or its hosts.
func (b *breaking) nodes(t plan.Target) (nodes []inject.Node) {
	if b.systems.system != nil {
		for _, n := range b.systems.system.Nodes {
			nodes = append(nodes, inject.Node{Node: n.Node, Process: n})
		}
		return nodes
	}
	for _, n := range hostsOf(b.targets.parsed[t.URL]).Nodes {
		nodes = append(nodes, inject.Node{Node: n})
	}
	return nodes
}

// hostsOf returns the hosts of a target as nodes of which nothing else is known.
func hostsOf(t brokers.Target) (s plan.System) {
	for i, addr := range t.Nodes() {
		s.Nodes = append(s.Nodes, plan.Node{Name: fmt.Sprint(i + 1), Address: addr})
	}
	return s
}

// stop ends the relays.
func (b *breaking) stop() (err error) {
	if b.relays != nil {
		err = b.relays.Stop()
	}
	b.relays, b.of = nil, nil
	return err
}

// checkFaults returns every reason that is known before the run why a fault of the plan
// cannot happen, or must not: what brokerbench did not start, it breaks only if allow says so.
func (t targets) checkFaults(p plan.Plan, allow bool) error {
	var errs []error
	for _, f := range p.Settings.Faults {
		for _, one := range p.Targets {
			if err := t.checkFault(f, one, allow); err != nil {
				errs = append(errs, fmt.Errorf("fault %v: target %s: %w", f, one.Name, err))
			}
		}
	}
	return usage(errors.Join(errs...))
}

// noFaults returns an error for a plan that breaks something, of a command that measures over
// and over again.
func noFaults(p plan.Plan) error {
	if len(p.Settings.Faults) == 0 {
		return nil
	}
	return fmt.Errorf("fault %v: only run and fault break what they measure", p.Settings.Faults[0])
}

func (t targets) checkFault(f plan.Fault, of plan.Target, allow bool) error {
	if f.Do == plan.Fall {
		return nil
	}
	system, known := t.system(of)
	switch {
	case f.Do == plan.Run:
		return errors.Join(allowed(allow, "runs a command of yours"), runnable(f.Command[0]))
	case !known && !f.Network():
		return errors.New("how its nodes are run is not known: say so with nodes in a plan file, or let brokerbench start it, as local:nats")
	}
	if len(system.Nodes) == 0 {
		return errors.New("it has no nodes at an address: nothing stands in front of it")
	}
	if err := system.CheckFault(f); err != nil {
		return err
	}
	if err := t.checkLeader(f, of, system); err != nil {
		return err
	}
	if f.Network() && advertises(t.parsed[of.URL]) && !local.Is(of.URL) {
		return errors.New("its client goes where the nodes advertise themselves, past brokerbench's relays: only local:rabbitmq-stream can be cut off")
	}
	if f.Network() {
		return reachable(system)
	}
	return errors.Join(mayBreak(f, system, allow), fillable(f, of, system))
}

// allowed returns an error if a fault does what needs permission, and there is none.
func allowed(allow bool, does string) error {
	if allow {
		return nil
	}
	return fmt.Errorf("it %s: allow that with --allow-faults", does)
}

// runnable returns an error for a program that there is not.
func runnable(program string) error {
	_, err := exec.LookPath(program)
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("program %q is not found: name one of the PATH, or the file", program)
	case err != nil:
		return fmt.Errorf("program %q: %w", program, err)
	}
	return nil
}

// mayBreak returns an error for a fault of nodes that brokerbench did not start, without
// permission, or that no permission can make happen.
func mayBreak(f plan.Fault, s plan.System, allow bool) error {
	for _, n := range s.Nodes {
		if len(n.Command) > 0 || !concerns(f, n) {
			continue
		}
		if err := allowed(allow, "breaks node "+n.Name+", which brokerbench did not start"); err != nil {
			return err
		}
		if n.PID != 0 && f.Do != plan.FillDisk {
			if err := process.Check(n.PID); err != nil {
				return fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
		if n.PID != 0 && (f.Do == plan.Kill || f.Do == plan.Stop) && f.Restart > 0 {
			return fmt.Errorf("node %s: nobody knows how to start pid %d again: leave out restart, or give the node a command, container, unit or pod", n.Name, n.PID)
		}
	}
	return nil
}

// concerns tells whether a fault may be for a node.
func concerns(f plan.Fault, n plan.Node) bool {
	return f.Node == n.Name || slices.Contains([]string{plan.Leader, plan.AnyFollower, plan.AnyNode, plan.AllNodes}, f.Node)
}

// fillable returns an error if a disk is to be filled that others need. A ready-made node has one
// of its own if the target says so, once it has been prepared.
func fillable(f plan.Fault, of plan.Target, s plan.System) error {
	if f.Do != plan.FillDisk {
		return nil
	}
	if local.Is(of.URL) {
		return fillableLocal(of)
	}
	for _, n := range s.Nodes {
		if concerns(f, n) {
			if err := inject.Fillable(n.Data, nil); err != nil {
				return fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
	}
	return nil
}

func fillableLocal(of plan.Target) error {
	ready, err := local.Parse(of.URL)
	switch {
	case err != nil:
		return err
	case ready.Data == 0:
		ready.Data = 256 << 20
		return fmt.Errorf("its nodes keep their data where others do: give each a small disk of its own, as %s", ready)
	case os.Geteuid() != 0:
		return errors.New("only root can mount a disk for each node")
	}
	return nil
}

// reachable returns an error if nobody knows where clients reach a node: no relay can stand
// there.
func reachable(s plan.System) error {
	for _, n := range s.Nodes {
		if n.Address == "" {
			return fmt.Errorf("where clients reach node %s is not known: give it an address", n.Name)
		}
	}
	return nil
}

// checkLeader returns an error if nobody will say who leads. Whether somebody leads is only
// known once there is something to lead.
func (t targets) checkLeader(f plan.Fault, of plan.Target, s plan.System) error {
	if len(s.Nodes) == 1 || f.Node != plan.Leader && f.Node != plan.AnyFollower {
		return nil
	}
	factory, err := t.parsed[of.URL].Open("check")
	if err != nil {
		return err
	}
	leads, ok := factory.(requester.Leads)
	if !ok {
		return errors.New("it does not tell who leads: name a node")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nobody is asked yet
	if _, err := leads.Leadership(ctx, 0); errors.Is(err, requester.ErrNoLeader) {
		return fmt.Errorf("%w with these options: name a node", err)
	}
	return nil
}

// system returns how a target is run, as far as that is known before it is started.
func (t targets) system(of plan.Target) (s plan.System, known bool) {
	switch {
	case local.Is(of.URL):
		ready, _ := local.Parse(of.URL) // it was parsed before
		for i := range ready.Nodes {
			s.Nodes = append(s.Nodes, plan.Node{Name: fmt.Sprint(i + 1), Address: "127.0.0.1:0", Command: []string{ready.Name}, Data: os.TempDir()}) // Prepare says where
		}
		return s, true
	case of.System != nil:
		return (&systems{targets: t}).addressed(of), true
	}
	return hostsOf(t.parsed[of.URL]), false
}

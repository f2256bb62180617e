package testbed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/faults/inject"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// checkFault implements wings.checkFault.
func checkFault(t Targets, f plan.Fault, of plan.Target, allow bool) error {
	if f.OfConsumers() {
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
	if f.Network() && t.Parsed[of.URL].Broker.Advertises && !IsLocal(of.URL) {
		return errors.New("its client goes where the nodes advertise themselves, past brokerbench's relays: only local:rabbitmq-stream can be cut off")
	}
	if f.Network() {
		return reachable(system)
	}
	return errors.Join(dataHere(f, system), mayBreak(f, system, allow), t.fillable(f, of, system), wipeable(f, of, system, allow), t.powerOff(f, of, system, allow))
}

// allowed returns an error if a fault does what needs permission, and there is none.
func allowed(allow bool, does string) error {
	if allow {
		return nil
	}
	return fmt.Errorf("it %s: allow that with --allow-faults", does)
}

// runnable returns an error for a missing program.
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

// dataHere returns an error if a fault changes the data of a node on another machine.
func dataHere(f plan.Fault, s plan.System) error {
	for _, n := range s.Nodes {
		if f.Concerns(n) && n.On != "" && slices.Contains([]plan.FaultKind{plan.Wipe, plan.PowerOff, plan.FillDisk}, f.Do) {
			return fmt.Errorf("node %s: its data is on %s, not on this machine: change it with run and a command of yours", n.Name, n.On)
		}
	}
	return nil
}

// mayBreak returns an error for a fault of nodes that brokerbench did not start, without
// permission, or that no permission can make happen.
func mayBreak(f plan.Fault, s plan.System, allow bool) error {
	for _, n := range s.Nodes {
		if len(n.Command) > 0 || !f.Concerns(n) {
			continue
		}
		if err := allowed(allow, "breaks node "+n.Name+", which brokerbench did not start"); err != nil {
			return err
		}
		if n.PID != 0 && n.On == "" && f.Do != plan.FillDisk {
			if err := process.Check(n.PID); err != nil {
				return fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
		if n.Pod != "" && (f.Do == plan.Wipe || f.Do == plan.PowerOff) {
			return fmt.Errorf("node %s: the data of a pod is not on this machine: use run and a command of yours", n.Name)
		}
		if n.PID != 0 && f.EndsNode() && (f.Restart > 0 || f.Do == plan.Wipe || f.Do == plan.PowerOff) {
			return fmt.Errorf("node %s: the command that started pid %d is unknown: leave out restart, or give the node a command, container, unit or pod", n.Name, n.PID)
		}
	}
	return nil
}

// fillable returns an error if a disk is to be filled that others need.
func (t Targets) fillable(f plan.Fault, of plan.Target, s plan.System) error {
	if f.Do != plan.FillDisk {
		return nil
	}
	if IsLocal(of.URL) {
		return t.Parsed[of.URL].local.disks
	}
	for _, n := range s.Nodes {
		if f.Concerns(n) && n.On == "" { // dataHere refuses others
			if err := inject.Fillable(n.Data, nil); err != nil {
				return fmt.Errorf("node %s: %w", n.Name, err)
			}
		}
	}
	return nil
}

// wipeable returns an error if data is to be removed that is not brokerbench's, without permission, or that
// others need.
func wipeable(f plan.Fault, of plan.Target, s plan.System, allow bool) error {
	if f.Do != plan.Wipe || IsLocal(of.URL) {
		return nil
	}
	for _, n := range s.Nodes {
		if !f.Concerns(n) || n.On != "" {
			continue
		}
		if err := inject.Wipeable(n.Data, nil, othersOf(s, n), false); err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		if err := allowed(allow, "removes all data in "+n.Data); err != nil {
			return err
		}
	}
	return nil
}

// othersOf returns the folders with the data of the other nodes on this machine.
func othersOf(s plan.System, n plan.Node) (folders []string) {
	for _, other := range s.Nodes {
		if other.Name != n.Name && other.On == "" {
			folders = append(folders, other.Data)
		}
	}
	return folders
}

// powerOff returns an error if the power of a file system is to be cut that is not the node's alone, or not
// brokerbench's, without permission.
func (t Targets) powerOff(f plan.Fault, of plan.Target, s plan.System, allow bool) error {
	if f.Do != plan.PowerOff {
		return nil
	}
	if IsLocal(of.URL) {
		return t.Parsed[of.URL].local.disks
	}
	for _, n := range s.Nodes {
		if !f.Concerns(n) || n.On != "" { // dataHere refuses others
			continue
		}
		if _, err := inject.PowerOff(n.Data, nil, othersOf(s, n)); err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		if err := allowed(allow, "cuts the power of "+n.Data); err != nil {
			return err
		}
	}
	return nil
}

// reachable returns an error if the address of a node is unknown, as a relay cannot stand in
// front of it.
func reachable(s plan.System) error {
	for _, n := range s.Nodes {
		if n.Address == "" {
			return fmt.Errorf("where clients reach node %s is not known: give it an address", n.Name)
		}
	}
	return nil
}

// checkLeader returns an error if the target cannot name its leader. Whether there is a leader
// is only known once the target runs.
func (t Targets) checkLeader(f plan.Fault, of plan.Target, s plan.System) error {
	if len(s.Nodes) == 1 || f.Node != plan.Leader && f.Node != plan.AnyFollower {
		return nil
	}
	factory, err := t.Parsed[of.URL].Open("check")
	if err != nil {
		return err
	}
	leads, ok := requester.As[requester.LeaderFinder](factory)
	if !ok {
		return errors.New("it does not tell who leads: name a node")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // nobody is asked yet
	if _, err := leads.Leadership(ctx, 0); errors.Is(err, requester.ErrNoLeader) {
		return fmt.Errorf("%w with these options: name a node, or measure %s", err, surviving(of.URL))
	}
	return nil
}

// surviving names the target at the level of durability that survives the loss of a node: at that
// level one leads.
func surviving(url string) string {
	if !IsLocal(url) {
		return "with --durability node"
	}
	head, query, ok := strings.Cut(url, "?")
	words := slices.DeleteFunc(strings.Split(head, ","), func(word string) bool { return strings.HasPrefix(word, "durability=") })
	head = strings.Join(append(words, "durability=node"), ",")
	if ok {
		return head + "?" + query
	}
	return head
}

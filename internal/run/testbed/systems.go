package testbed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/run/child"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/internal/systems/local"
	"github.com/brokerbench/brokerbench/internal/systems/nodes"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// linkSystems adds the wing that starts brokers.
func linkSystems(w *wings) {
	w.parseLocal, w.serve, w.sweep = parseLocal, append(w.serve, guardian.Serve, serveNodes), sweep
}

// serveNodes implements serve.
func serveNodes(args []string, in io.Reader, out io.Writer) (bool, error) {
	return nodes.Serve(args, in, out, machine.Version())
}

// sweep implements wings.sweep.
func sweep(dry bool) (all []Undone, err error) {
	left, err := guardian.Sweep(dry)
	for _, one := range left {
		all = append(all, Undone{one.Undo.String(), one.Err})
	}
	return all, err
}

// parseLocal implements wings.parseLocal.
func parseLocal(url string) (usual string, of readyMade, err error) {
	ready, err := local.Parse(url)
	if err != nil {
		return "", of, err
	}
	of = readyMade{name: ready.Name, networked: ready.Network != "", disks: disksOf(ready)}
	for i := range ready.Nodes { // Prepare says where they are
		of.system.Nodes = append(of.system.Nodes, plan.Node{Name: fmt.Sprint(i + 1), Address: "127.0.0.1:0", Command: []string{ready.Name}, Data: guardian.Folder()})
	}
	return ready.Sample(), of, nil
}

// disksOf returns why nothing can happen to the disks of the nodes of a ready-made system: a node has its own
// disk if the target asks for one, once it has been prepared.
func disksOf(t local.Target) error {
	switch {
	case t.Data == 0:
		t.Data = 256 << 20
		return fmt.Errorf("its nodes share a disk with others: give each node a small separate disk, as %s", t)
	case os.Geteuid() != 0 || !process.Admin():
		return errors.New("mounting a disk for each node needs root with CAP_SYS_ADMIN: in a container, --privileged")
	}
	return nil
}

// A starter starts the systems behind the targets of a run, and finds those whose nodes the plan
// lists. At most one runs at a time, so that none takes the cores that another is measured on,
// except for those that a target keeps. It implements run.Systems.
type starter struct {
	bed   *Testbed
	guard *guardian.Guardian

	started // the system of the target that is being measured
	kept    []started
}

// A started is the system of a target.
type started struct {
	of       plan.Target
	system   *nodes.System
	prepared *local.Prepared // nil if it is not a ready-made one
	keep     bool            // while other targets are measured
}

// Starts implements run.Systems.
func (*starter) Starts(t plan.Target) bool { return starts(t) }

// Start implements run.Systems: it ends or keeps the system of another target, and starts or
// finds that of this one, with all of its nodes.
func (s *starter) Start(ctx context.Context, t plan.Target) (measure.Nodes, error) {
	if err := s.leave(t); err != nil {
		return nil, err
	}
	if s.system == nil {
		if err := s.make(ctx, t); err != nil || s.system == nil {
			return nil, err
		}
		s.of = t
	}
	if err := s.system.Start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", t.Name, err), s.end())
	}
	return s.system, nil
}

// leave ends or keeps the system that there is if it is not that of a target, and returns to one
// that was kept.
func (s *starter) leave(t plan.Target) error {
	switch {
	case s.system == nil || s.of == t:
	case s.keep:
		s.kept, s.started = append(s.kept, s.started), started{}
	default:
		if err := s.end(); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(s.kept, func(k started) bool { return k.of == t }); i >= 0 {
		s.started = s.kept[i] // first: Delete clears it
		s.kept = slices.Delete(s.kept, i, i+1)
	}
	return nil
}

// make makes the system of a target; none if nothing is known of it.
func (s *starter) make(ctx context.Context, t plan.Target) error {
	if !IsLocal(t.URL) && t.System == nil {
		return nil
	}
	if err := s.startGuardian(); err != nil {
		return err
	}
	if s.Starts(t) {
		s.bed.Say("starting " + t.Name)
	}
	if IsLocal(t.URL) {
		return s.makeLocal(ctx, t)
	}
	return s.makeOwn(t)
}

// startGuardian starts the guardian if there is none.
func (s *starter) startGuardian() (err error) {
	if s.guard == nil {
		s.guard, err = guardian.Start()
	}
	return err
}

// makeLocal prepares a ready-made system.
func (s *starter) makeLocal(ctx context.Context, t plan.Target) error {
	parsed, err := local.Parse(t.URL)
	if err != nil {
		return err
	}
	nats, err := child.NATSCommand()
	if err != nil && parsed.Name == "nats" {
		return err
	}
	o := local.Options{Guardian: s.guard, NATS: nats}
	o.Fronted = s.bed.injector.fronted(t, parsed.Network != "") // internal/faults
	o.Network = s.makeNetwork                                   // internal/faults
	prepared, err := local.Prepare(ctx, parsed, o)
	if err != nil {
		return err
	}
	system, err := s.prepare(t, prepared)
	if err != nil {
		return errors.Join(err, prepared.Remove())
	}
	s.started = started{system: system, prepared: prepared, keep: parsed.Keep != ""}
	return nil
}

// prepare makes the system of a target that was prepared, and notes where it is reached.
func (s *starter) prepare(t plan.Target, prepared *local.Prepared) (*nodes.System, error) {
	found, err := s.bed.Targets.Table.Parse(prepared.URL)
	if err != nil {
		return nil, err
	}
	s.bed.Targets.Parsed[t.URL] = Target{found, s.bed.Targets.Parsed[t.URL].local}
	if hosts := found.Nodes(); len(hosts) == len(prepared.System.Nodes) { // of the protocol that is measured
		for i := range hosts {
			prepared.System.Nodes[i].Address = hosts[i]
		}
	}
	return nodes.New(prepared.System, nodes.Options{Guardian: s.guard, Logs: prepared.Dir, Throwaway: true})
}

// makeOwn makes the system that the plan describes. Its logs are deleted with the run, unless
// the nodes name their own log files.
func (s *starter) makeOwn(t plan.Target) error {
	logs, err := os.MkdirTemp("", "brokerbench-logs-")
	if err != nil {
		return err
	}
	if _, err := s.guard.Before(guardian.Undo{Remove: logs}); err != nil {
		return err
	}
	s.system, err = nodes.New(s.bed.Targets.addressed(t), nodes.Options{
		Guardian: s.guard, Logs: logs, StartFound: s.bed.StartFound, SSH: s.bed.SSH, Version: machine.Version(),
	})
	return err
}

// reach copies the program to all machines of nodes, at the same time.
func (s *starter) reach(ctx context.Context, p plan.Plan) error {
	hosts := hosts(p)
	if len(hosts) == 0 {
		return nil
	}
	program, err := s.bed.SSH()
	if err != nil {
		return err
	}
	errs := make([]error, len(hosts))
	var all sync.WaitGroup
	for i, host := range hosts {
		all.Go(func() { errs[i] = program.Install(ctx, host) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// end ends the system that there is.
func (s *starter) end() error {
	err := s.started.end()
	s.started = started{}
	return err
}

func (s started) end() error {
	if s.system == nil {
		return nil
	}
	err := s.system.Close()
	if s.prepared != nil {
		err = errors.Join(err, s.prepared.Remove())
	}
	return err
}

// Close ends the systems that there are, and the guardian.
func (s *starter) Close() error {
	err := s.end()
	for _, k := range s.kept {
		err = errors.Join(err, k.end())
	}
	if s.guard != nil {
		err = errors.Join(err, s.guard.Close())
	}
	return err
}

// URL returns where a target is reached that was started; its own URL if it was not.
func (s *starter) URL(t plan.Target) string {
	for _, one := range append(s.kept, s.started) {
		if one.prepared != nil && one.of == t {
			return one.prepared.URL
		}
	}
	return t.URL
}

package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A host is another machine where nodes run. The brokerbench there starts, breaks and samples them, and ends
// them when its session ends: see [Serve].
type host struct {
	name  string // ssh://[USER@]HOST[:PORT]
	o     Options
	nodes []plan.Node

	mu      sync.Mutex
	session *ssh.Session // nil before the first, and after close
	again   bool         // an earlier session was lost or failed: its nodes may still be ending
	kernel  string       // its release; "": unknown

	sampling chan []results.NodeUsage // gets the sample that was asked for; nil: none was
	used     []results.NodeUsage      // by each node before the last sample
}

// patience is how long a host may take to answer: to start a node it may have to fetch an image.
func (q question) patience() time.Duration {
	if q.Do == doStart {
		return time.Hour
	}
	return 2 * time.Minute
}

// hostsOf returns the hosts of nodes, each once.
func hostsOf(nodes []plan.Node, o Options) (hosts []*host) {
	for _, n := range nodes {
		if n.On == "" {
			continue
		}
		i := slices.IndexFunc(hosts, func(h *host) bool { return h.name == n.On })
		if i < 0 {
			i, hosts = len(hosts), append(hosts, &host{name: n.On, o: o})
		}
		n.On = "" // there it is a node of that machine
		hosts[i].nodes = append(hosts[i].nodes, n)
	}
	return hosts
}

// connect begins a session, unless there is one.
func (h *host) connect(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != nil && h.session.Alive() {
		return nil
	}
	h.again = h.again || h.session != nil
	program, err := h.o.SSH()
	if err == nil {
		err = program.Install(ctx, h.name)
	}
	if err != nil {
		return err
	}
	s, err := program.Open(ctx, h.name, childCommand)
	if err != nil {
		return err
	}
	if s.Ready != h.o.Version {
		return errors.Join(fmt.Errorf("%s: the brokerbench there is version %s, and this one %s: with --agents-binary name one of the same version", h.name, s.Ready, h.o.Version), s.Close())
	}
	h.session = s
	a, err := h.askIn(ctx, s, question{Open: &opening{h.nodes, h.o.StartFound}})
	h.kernel = a.Kernel
	return err
}

// ask asks the brokerbench there.
func (h *host) ask(ctx context.Context, q question) (answer, error) {
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	if s == nil {
		return answer{}, fmt.Errorf("%s: not connected", h.name)
	}
	return h.askIn(ctx, s, q)
}

func (h *host) askIn(ctx context.Context, s *ssh.Session, q question) (a answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, q.patience(), fmt.Errorf("no answer within %v", q.patience()))
	defer cancel()
	err = s.Ask(ctx, q, &a)
	if err == nil && a.Error != "" {
		err = hostError{h.name + ": " + a.Error, a.Ended}
	}
	return a, err
}

// A hostError is an error that another machine reports.
type hostError struct {
	text  string
	ended bool // it is process.ErrEnded there
}

func (e hostError) Error() string { return e.text }

// Is makes the error match process.ErrEnded.
func (e hostError) Is(target error) bool { return e.ended && target == process.ErrEnded }

// close ends the nodes there, and the session.
func (h *host) close(ctx context.Context) error {
	h.mu.Lock()
	s := h.session
	h.session = nil
	h.mu.Unlock()
	if s == nil {
		return nil
	}
	_, err := h.askIn(ctx, s, question{Do: doClose})
	h.mu.Lock()
	h.again = h.again || err != nil
	h.mu.Unlock()
	if err != nil && !s.Alive() {
		err = fmt.Errorf("%w: the brokerbench there ends its nodes within %v", err, lease+closing)
	}
	return errors.Join(err, s.Close())
}

// sample sets used, for which it waits. A sample that is late counts in the next interval: until then nothing
// was used.
func (h *host) sample(wait time.Duration) {
	var late []results.NodeUsage
	if len(h.sampling) > 0 {
		late, h.sampling = <-h.sampling, nil
	}
	if h.sampling == nil {
		h.sampling = h.asked()
	}
	select {
	case used := <-h.sampling:
		h.sampling, h.used = nil, results.AddNodes(late, used)
		for i, u := range used {
			h.used[i].Processes, h.used[i].ResidentBytes = u.Processes, u.ResidentBytes // at the end
		}
		return
	case <-time.After(wait):
	}
	if late != nil {
		h.used = late
		return
	}
	h.used = slices.Clone(h.used)
	for i, u := range h.used {
		h.used[i].CPUNS, h.used[i].ReadBytes = nothing(u.CPUNS), nothing(u.ReadBytes)
		h.used[i].WrittenBytes, h.used[i].CancelledBytes = nothing(u.WrittenBytes), nothing(u.CancelledBytes)
	}
}

// asked asks for a sample. It has no nodes if the session is lost, as they end.
func (h *host) asked() chan []results.NodeUsage {
	got := make(chan []results.NodeUsage, 1)
	go func() {
		a, _ := h.ask(context.Background(), question{Do: doSample})
		got <- a.Used
	}()
	return got
}

// nothing is 0 if the value is known.
func nothing(value *int64) *int64 {
	if value == nil {
		return nil
	}
	return new(int64)
}

// A remote is a node on another machine. It implements way.
type remote struct {
	*host

	node string
}

// usage returns what the node did before the last sample.
func (r remote) usage() results.NodeUsage {
	for _, u := range r.used {
		if u.Node == r.node {
			return u
		}
	}
	return results.NodeUsage{Node: r.node}
}

func (r remote) do(ctx context.Context, do doing) error {
	_, err := r.ask(ctx, question{Do: do, Node: r.node})
	return err
}

func (r remote) start(ctx context.Context) error  { return r.do(ctx, doStart) }
func (r remote) stop(ctx context.Context) error   { return r.do(ctx, doStop) }
func (r remote) kill(ctx context.Context) error   { return r.do(ctx, doKill) }
func (r remote) pause(ctx context.Context) error  { return r.do(ctx, doPause) }
func (r remote) resume(ctx context.Context) error { return r.do(ctx, doResume) }

// here implements way: its processes are not to be seen on this machine.
func (remote) here() bool       { return false }
func (remote) main() process.ID { return process.ID{} }

// undoes: the guardian there does.
func (remote) undoes(action) (guardian.Undo, bool) { return guardian.Undo{}, false }

func (r remote) running(ctx context.Context) (ok bool, how string) {
	a, err := r.ask(ctx, question{Do: doRunning, Node: r.node})
	if err != nil {
		return false, err.Error()
	}
	return a.OK, a.How
}

// tells asks whether something is true of the node.
func (r remote) tells(ctx context.Context, do doing) bool {
	a, err := r.ask(ctx, question{Do: do, Node: r.node})
	return err == nil && a.OK
}

func (r remote) tail(lines int) []string {
	a, _ := r.ask(context.Background(), question{Do: doTail, Node: r.node, Lines: lines}) // as far as it is known
	return a.Logged
}

package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// childCommand starts this program as what runs the nodes of another machine's plan.
const childCommand = "nodes-child"

// lease is for how long the other machine may be silent before the nodes end.
const lease = 20 * time.Second

// A question is what the machine of the plan asks. Either Open or Do is set.
type question struct {
	Open  *opening `json:"open,omitempty"` // the first one
	Do    doing    `json:"do,omitempty"`
	Node  string   `json:"node,omitempty"`  // to which node
	Lines int      `json:"lines,omitempty"` // of the log
}

// An opening says what nodes there are.
type opening struct {
	Nodes      []plan.Node `json:"nodes"`
	StartFound bool        `json:"start_found,omitempty"`
}

// A doing is what is done to a node, or with all of them.
type doing string

const (
	doStart   doing = "start"
	doStop    doing = "stop"
	doKill    doing = "kill"
	doPause   doing = "pause"
	doResume  doing = "resume"
	doRunning doing = "running" // does it run, and if not, how did it end
	doListens doing = "listens" // does somebody listen at its address
	doAnswers doing = "answers" // is it ready
	doTail    doing = "tail"
	doSample  doing = "sample"
	doClose   doing = "close"
)

// An answer is what the brokerbench there answers.
type answer struct {
	Kernel string              `json:"kernel,omitempty"` // of the machine, of an opening; "": unknown
	OK     bool                `json:"ok,omitempty"`
	How    string              `json:"how,omitempty"`
	Logged []string            `json:"logged,omitempty"`
	Used   []results.NodeUsage `json:"used,omitempty"`
	Error  string              `json:"error,omitempty"`
	Ended  bool                `json:"ended,omitempty"` // the error is process.ErrEnded
}

// Serve runs this process as what runs the nodes of another machine's plan, if args, without the program's
// name, are those of one. It then returns when in has ended, or the other machine is silent for too long, and
// the nodes have ended. If it is killed, its guardian ends them.
func Serve(args []string, in io.Reader, out io.Writer, version string) (isChild bool, err error) {
	if len(args) != 1 || args[0] != childCommand {
		return false, nil
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGPIPE) // of a connection that ends
	s := new(served)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if s.guard, err = guardian.Start(); err != nil {
		return true, err
	}
	err = ssh.Answer(in, out, version, lease, s.reply)
	return true, errors.Join(err, s.close(), s.guard.Close())
}

// A served is the side of a host. It is safe for concurrent use.
type served struct {
	guard  *guardian.Guardian
	ctx    context.Context //nolint:containedctx // of all actions, until cancel is called
	cancel context.CancelFunc

	mu       sync.Mutex
	system   *System
	sampling sync.Mutex
}

func (s *served) reply(text []byte) any {
	var q question
	err := json.Unmarshal(text, &q)
	a := answer{}
	if err == nil {
		a, err = s.answer(q)
	}
	if err != nil {
		a.Error, a.Ended = err.Error(), errors.Is(err, process.ErrEnded)
	}
	return a
}

func (s *served) answer(q question) (a answer, err error) {
	if q.Open != nil {
		a.Kernel = machine.ReadSystem("/").Release
		return a, s.open(*q.Open)
	}
	s.mu.Lock()
	system := s.system
	s.mu.Unlock()
	switch {
	case system == nil:
		return a, errors.New("no nodes")
	case q.Do == doSample:
		s.sampling.Lock()
		defer s.sampling.Unlock()
		a.Used = system.Sample(func() { time.Sleep(time.Millisecond) })
		return a, nil
	case q.Do == doClose:
		return a, s.close()
	}
	for _, n := range system.Nodes {
		if n.Name == q.Node {
			ctx, cancel := context.WithTimeout(s.ctx, q.patience())
			defer cancel()
			return n.answer(ctx, q)
		}
	}
	return a, fmt.Errorf("there is no node %q", q.Node)
}

// answer does what the other machine asks of a node.
func (n *Node) answer(ctx context.Context, q question) (a answer, err error) {
	switch q.Do {
	case doStart:
		err = n.startOnce(ctx)
	case doStop:
		err = n.Stop(ctx)
	case doKill:
		err = n.Kill(ctx)
	case doPause:
		err = n.Pause(ctx)
	case doResume:
		err = n.Resume(ctx)
	case doRunning:
		a.OK, a.How = n.way.running(ctx)
	case doListens:
		a.OK = n.listens(ctx)
	case doAnswers:
		a.OK = n.answers(ctx)
	case doTail:
		a.Logged = n.Tail(q.Lines)
	case doSample, doClose: // of all
	}
	return a, err
}

// open makes the nodes. The logs of those that name none are deleted in the end.
func (s *served) open(o opening) error {
	logs, err := os.MkdirTemp("", "brokerbench-logs-")
	if err == nil {
		_, err = s.guard.Before(guardian.Undo{Remove: logs})
	}
	if err != nil {
		return err
	}
	system, err := New(plan.System{Nodes: o.Nodes}, Options{Guardian: s.guard, Logs: logs, StartFound: o.StartFound})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.system = system
	return err
}

// close ends the nodes, once, and first what is being done to them.
func (s *served) close() error {
	s.cancel()
	s.mu.Lock()
	system := s.system
	s.system = nil
	s.mu.Unlock()
	if system == nil {
		return nil
	}
	return system.Close()
}

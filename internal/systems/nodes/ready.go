package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// usualPatience is how long a node may take to be ready, unless the plan says it.
const usualPatience = time.Minute

// The pauses between two looks, and the longest look.
const (
	betweenLooks = 50 * time.Millisecond
	longestLook  = 10 * time.Second
)

// errLate is the cause of a context that ends while a node is waited for.
var errLate = errors.New("not ready")

func (n *Node) patience() time.Duration { return cmp.Or(n.ReadyIn, usualPatience) }

// ready waits until the node is ready.
func (n *Node) ready(ctx context.Context) error {
	patience := n.patience()
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errLate)
	defer cancel()
	err := until(ctx, func() (bool, error) { return n.answers(ctx), n.endedEarly() })
	if errors.Is(err, errLate) {
		err = fmt.Errorf("node %s is not ready after %v%s", n.Name, patience, n.lastWords())
	}
	return err
}

// answers tells whether the node is ready.
func (n *Node) answers(ctx context.Context) bool {
	if far, ok := n.way.(remote); ok {
		return far.tells(ctx, doAnswers)
	}
	if n.listensAt() != "" && !n.listens(ctx) { // which is cheaper to know than the rest
		return false
	}
	return len(n.Ready) == 0 || succeeds(ctx, n.Ready)
}

// listensAt returns where the node itself listens; "" if that is not known.
func (n *Node) listensAt() string {
	if behind, ok := n.Fronts[n.Address]; ok {
		return behind
	}
	return n.Address
}

// listens tells whether somebody accepts connections where the node is to listen.
func (n *Node) listens(ctx context.Context) bool {
	if far, ok := n.way.(remote); ok {
		return far.tells(ctx, doListens)
	}
	c, err := (&net.Dialer{Timeout: longestLook}).DialContext(ctx, "tcp", n.listensAt())
	return err == nil && c.Close() == nil
}

// endedEarly returns an error if the node does not run.
func (n *Node) endedEarly() error {
	ok, how := n.way.running(context.Background())
	if ok {
		return nil
	}
	return fmt.Errorf("node %s ended before it was ready: %s%s", n.Name, how, n.lastWords())
}

// succeeds reports whether a command ends with exit code 0. It kills a command that takes longer
// than a look may, with its descendants.
func succeeds(ctx context.Context, args []string) bool {
	ctx, cancel := context.WithTimeout(ctx, longestLook)
	defer cancel()
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the user's own
	process.EndsWhole(c)                                // such as what a shell has begun
	return c.Run() == nil
}

// until waits until look tells that it is so, returns an error, or ctx is done: then it
// returns the cause.
func until(ctx context.Context, look func() (bool, error)) error {
	for {
		ok, err := look()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(betweenLooks):
		}
	}
}

package redis

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

var (
	errReplicas = errors.New("too few replicas have it")
	errNoFsync  = errors.New("it is not on disk where it should be")
)

// waits has messages wait for WAIT or WAITAOF. The server reads nothing more of the
// connection until it has answered, so there is one such command at a time: the first
// message has its own, and those that are written until that is answered share the next.
type waits struct {
	command []byte

	mu      sync.Mutex // also keeps the order of what is written
	written uint64     // messages
	upTo    uint64     // of them, those that the command without an answer is for
	waiting bool       // there is such a command
}

// write writes p's frame, and the command behind it if there is none.
func (w *waits) write(p *publisher) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written++
	if !w.waiting {
		p.frame = append(p.frame, w.command...)
		w.waiting, w.upTo = true, w.written
	}
	return p.write(p.frame)
}

// next reports whether the next reply is that to the command, not to a message, of
// which so many were answered. The reader calls it, before the reply has arrived:
//
//   - nothing is written: what will be is first a message;
//   - a command is written: all messages before it are answered first.
func (w *waits) next(answered uint64) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waiting && answered == w.upTo
}

// again writes another command if messages were written since the last, which has been
// answered.
func (w *waits) again(p *publisher) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = w.written > w.upTo
	if !w.waiting {
		return nil
	}
	w.upTo = w.written
	return p.write(w.command)
}

// waitCommand returns the command that each message waits for; nil if none.
func (o *options) waitCommand() []byte {
	words := o.waitWords()
	if words == nil {
		return nil
	}
	return command(0, words...)
}

func (o *options) waitWords() []string {
	replicas, timeout := strconv.Itoa(o.waitReplicas), strconv.FormatInt(int64(o.waitTimeout/time.Millisecond), 10)
	switch {
	case o.waitFsync:
		return []string{"WAITAOF", "1", replicas, timeout}
	case o.waitReplicas > 0:
		return []string{"WAIT", replicas, timeout}
	}
	return nil
}

// enough returns an error if what WAIT or WAITAOF has counted is too little.
func (o *options) enough(counts []int64) error {
	replicas := counts[len(counts)-1]
	switch {
	case o.waitFsync && len(counts) == 2 && counts[0] < 1:
		return fmt.Errorf("%w within %v: not by the server itself", errNoFsync, o.waitTimeout)
	case o.waitFsync && replicas < int64(o.waitReplicas):
		return fmt.Errorf("%w within %v: %d of %d replicas", errNoFsync, o.waitTimeout, replicas, o.waitReplicas)
	case replicas < int64(o.waitReplicas):
		return fmt.Errorf("%w within %v: %d of %d", errReplicas, o.waitTimeout, replicas, o.waitReplicas)
	}
	return nil
}

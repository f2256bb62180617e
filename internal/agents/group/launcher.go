package group

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A launcher keeps the processes of agents running: one that ends while the run goes on is
// started again, for as long as the run does.
type launcher struct {
	lease time.Duration           // a process that lived for longer had joined
	gone  func(agent, why string) // is told of each process that ended
	say   func(text string)

	mu        sync.Mutex
	processes map[string]agentProcess // of each agent the last
	ending    chan struct{}           // closed: agents may end from now on
	watching  sync.WaitGroup
}

// An agentProcess is that of an agent, see package place.
type agentProcess interface {
	Ended() <-chan struct{}
	Why() string
	Stop() error
}

func newLauncher(lease time.Duration, gone func(agent, why string), say func(string)) *launcher {
	return &launcher{lease: lease, gone: gone, say: say, processes: make(map[string]agentProcess), ending: make(chan struct{})}
}

// launch starts an agent, and starts it again whenever it ends.
func (l *launcher) launch(agent string, start func() (agentProcess, error)) error {
	p, err := l.begin(agent, start)
	if err != nil {
		return err
	}
	l.watching.Go(func() { l.attend(agent, p, start) })
	return nil
}

// errEnding is the error of an agent that is not started because the run is over.
var errEnding = errors.New("the run is over")

// begin starts a process. If the launcher is already stopping the others, begin stops the new
// process too, as the launcher would miss it.
func (l *launcher) begin(agent string, start func() (agentProcess, error)) (agentProcess, error) {
	p, err := start()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	over := l.over()
	if !over {
		l.processes[agent] = p
	}
	l.mu.Unlock()
	if over {
		return nil, errors.Join(errEnding, p.Stop())
	}
	return p, nil
}

// attend waits for the end of an agent's process and starts another one, until the run ends. It
// reports an error only when the error changes: a machine that is down for an hour takes two
// lines, not a hundred.
func (l *launcher) attend(agent string, p agentProcess, start func() (agentProcess, error)) {
	var err error
	said, failures := "", 0
	for {
		begun, why := time.Now(), fmt.Sprint(err)
		if p != nil {
			<-p.Ended()
			why = fmt.Sprintf("agent %s: %s", agent, p.Why())
		}
		if l.over() {
			return
		}
		if p != nil {
			l.gone(agent, p.Why())
		}
		if time.Since(begun) > l.lease {
			said, failures = "", 0
		}
		if why != said {
			l.say(why)
			said = why
		}
		if !l.pause(restartAfter(failures)) {
			return
		}
		failures++
		p, err = l.begin(agent, start)
	}
}

// restartAfter returns how long a process is not started again that has failed so often, one
// after the other: a machine may take a minute to come back, and its sshd as long to
// see that a connection is dead.
func restartAfter(failures int) time.Duration {
	return min(time.Second<<min(failures, 5), 30*time.Second)
}

// pause waits, and returns false if agents may end before.
func (l *launcher) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-l.ending:
		return false
	}
}

// over tells whether agents may end.
func (l *launcher) over() bool {
	select {
	case <-l.ending:
		return true
	default:
		return false
	}
}

// stops says that agents may end from now on. It may be called again.
func (l *launcher) stops() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over() {
		close(l.ending)
	}
}

// end stops all processes, and returns when they have ended.
func (l *launcher) end() {
	l.stops()
	l.mu.Lock()
	processes := l.processes // nobody adds to them any more
	l.mu.Unlock()
	var all sync.WaitGroup
	for _, p := range processes {
		all.Go(func() { _ = p.Stop() }) // it has ended
	}
	all.Wait()
	l.watching.Wait()
}

package guardian

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A started is a process that the guardian started.
type started struct {
	id    process.ID
	cmd   *exec.Cmd
	ends  time.Duration
	asked time.Time     // when it was asked to end
	ended chan struct{} // closed when it has been waited for
}

// start starts a process in a new session.
func start(c Command) (*started, error) {
	if len(c.Args) == 0 {
		return nil, fmt.Errorf("starting a process: no command")
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // the user's own; end ends it
	cmd.Dir, cmd.SysProcAttr = c.Dir, ofChild()
	if len(c.Env) > 0 {
		cmd.Env = append(os.Environ(), c.Env...)
	}
	if c.Log != "" {
		log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", c.Args[0], err)
		}
		defer log.Close()
		cmd.Stdout, cmd.Stderr = log, log
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.Args[0], err)
	}
	id, _ := process.Find(cmd.Process.Pid) // one that has ended already is found by none
	s := &started{id: id, cmd: cmd, ends: c.Ends, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how says how it ended
		close(s.ended)
	}()
	return s, nil
}

// how returns how it ended, "" while it runs.
func (s *started) how() string {
	select {
	case <-s.ended:
		return s.cmd.ProcessState.String()
	default:
		return ""
	}
}

// terminate asks it to end in good order, if it may.
func (s *started) terminate() {
	if s.asked = time.Now(); s.ends > 0 && s.how() == "" {
		_ = s.id.Terminate() // end kills it otherwise
		_ = s.id.Continue()  // one that is paused would not notice
	}
}

// end waits until it has ended, and kills what is left of it.
func (s *started) end() error {
	if s.how() != "" {
		return nil // what it left behind is adopted
	}
	if s.ends > 0 {
		select {
		case <-s.ended:
			return nil
		case <-time.After(s.ends - time.Since(s.asked)):
		}
	}
	return kill(s.id)
}

// kill kills a process and its descendants, and waits until all are gone. It spares a new
// process that has got the same number.
func kill(id process.ID) error {
	return killAll(func() []process.ID { return process.NewTree(func() {}).Family(id) })
}

// killAdopted kills what processes that were started have left behind.
func killAdopted() error {
	return killAll(func() []process.ID {
		family := process.Family(os.Getpid())
		return family[min(1, len(family)):]
	})
}

// mostKills bounds how long killAll goes on: five seconds.
const mostKills = 500

// killAll kills what find finds until it finds nothing.
func killAll(find func() []process.ID) error {
	for range mostKills {
		family := find()
		if len(family) == 0 {
			return nil
		}
		for _, id := range family {
			_ = id.Kill() // what cannot be killed is found again
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("processes stay behind: %v", find())
}

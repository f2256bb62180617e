package group

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// errHeld is why a lock is not taken: another process has it.
var errHeld = errors.New("another process has it")

// hold keeps every other process from coordinating the run until Close: two at once would
// open one store of results, and delete what the other writes. The lock ends with the process,
// however it ends.
func (s *State) hold() error {
	f, err := os.OpenFile(filepath.Join(s.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	switch err := lockFile(f); {
	case errors.Is(err, errHeld):
		who, _ := os.ReadFile(f.Name()) // without it the error still says what to do
		_ = f.Close()
		return fmt.Errorf("run %s: %s still coordinates this run: end it, or let it finish", filepath.Base(s.dir), cmp.Or(strings.TrimSpace(string(who)), "another process"))
	case err != nil:
		_ = f.Close()
		return fmt.Errorf("locking the state of run %s: %w", filepath.Base(s.dir), err)
	}
	s.lock = f
	host, _ := os.Hostname() // of a pod, whose processes have numbers of their own
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("locking the state of run %s: %w", filepath.Base(s.dir), err)
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0)
	return err
}

// Close lets another process resume the run. It may be called again.
func (s *State) Close() {
	if s.lock != nil {
		_ = s.lock.Close() // the lock goes with it
		s.lock = nil
	}
}

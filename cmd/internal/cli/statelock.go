package cli

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

// hold keeps every other process from coordinating the run until release: two at once would
// open one store of results, and delete what the other writes. The lock ends with the process,
// however it ends.
func (r *runState) hold() error {
	f, err := os.OpenFile(filepath.Join(r.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	switch err := lockFile(f); {
	case errors.Is(err, errHeld):
		who, _ := os.ReadFile(f.Name()) // without it the error still says what to do
		_ = f.Close()
		return fmt.Errorf("run %s: %s still coordinates this run: end it, or let it finish", filepath.Base(r.dir), cmp.Or(strings.TrimSpace(string(who)), "another process"))
	case err != nil:
		_ = f.Close()
		return fmt.Errorf("locking the state of run %s: %w", filepath.Base(r.dir), err)
	}
	r.lock = f
	host, _ := os.Hostname() // of a pod, whose processes have numbers of their own
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("locking the state of run %s: %w", filepath.Base(r.dir), err)
	}
	_, err = f.WriteAt(fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0)
	return err
}

// release lets another process go on with the run. It may be called again.
func (r *runState) release() {
	if r != nil && r.lock != nil {
		_ = r.lock.Close() // the lock goes with it
		r.lock = nil
	}
}

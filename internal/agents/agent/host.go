package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Host keeps the agents of two runs from measuring on one machine at the same time, as they would
// disturb each other. Agents of one run share it.
type Host struct {
	run  string
	path string
	file *os.File // locked; nil: not yet
}

// NewHost returns the machine for an agent of a run. Dir is a folder that all agents of a user have in
// common.
func NewHost(dir, run string) *Host {
	return &Host{run: run, path: filepath.Join(dir, fmt.Sprintf("brokerbench-agent-%d.lock", os.Getuid()))}
}

// hostWait is how long the agents of a run that has ended may take to end.
const hostWait = 3 * time.Second

// errShared is why a lock is not taken: another process has it.
var errShared = errors.New("another process has it")

// Hold takes the machine until this process ends. The error names the run that has it. It may be
// called again.
func (h *Host) Hold() error {
	if h.file != nil {
		return nil
	}
	file, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return fmt.Errorf("locking this machine: %w", err)
	}
	for begun := time.Now(); ; time.Sleep(hostWait / 20) {
		if err = h.try(file); err == nil {
			h.file = file
			return nil
		}
		if !errors.Is(err, errShared) || time.Since(begun) > hostWait {
			break
		}
	}
	text, _ := os.ReadFile(h.path) // without it the error still says what to do
	_ = file.Close()
	if run, process, ok := strings.Cut(strings.TrimSpace(string(text)), " "); ok && errors.Is(err, errShared) {
		return fmt.Errorf("run %s measures on this machine (process %s): wait until it is over, or end that process", run, process)
	}
	return fmt.Errorf("locking this machine: %w", err)
}

// try takes the lock alone to write the name of the run, and then shares it; or shares it with the
// agents of the same run.
func (h *Host) try(file *os.File) error {
	switch err := lock(file, true); {
	case err == nil:
		text := fmt.Appendf(nil, "%s %d\n", h.run, os.Getpid())
		if err := file.Truncate(0); err != nil {
			return err
		}
		if _, err := file.WriteAt(text, 0); err != nil {
			return err
		}
	case !errors.Is(err, errShared):
		return err
	}
	if err := lock(file, false); err != nil {
		return err
	}
	text, err := os.ReadFile(h.path)
	if run, _, _ := strings.Cut(string(text), " "); err == nil && run != h.run {
		return errShared // the next try, or closing the file, gives up the share
	}
	return err
}

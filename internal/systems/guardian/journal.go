package guardian

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A journal is a guardian's list in a file, from which another process undoes everything if the guardian
// was killed. Its owner has a lock on it, which the kernel releases when the owner ends. Each line is a
// change. A last line that is cut off is ignored: its action was never taken.
type journal struct{ file *os.File }

// A change adds an entry to the list, or takes it from the list.
type change struct {
	Number int    `json:"number"`
	Undo   *Undo  `json:"undo,omitempty"` // nil: the entry is off the list
	On     *place `json:"on,omitempty"`   // of the first line alone: where the guardian runs
}

// A place is a host and its boot. Hosts may share a home folder, and not all file systems share locks.
type place struct {
	Host string `json:"host"`
	Boot string `json:"boot,omitempty"` // "" if the system has none
}

// here returns the place of this process.
func here() place {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return place{host, strings.TrimSpace(string(boot))}
}

// The names of journals. One is called new until it is locked.
const (
	journals = "guardian-*.journal"
	unlocked = ".new"
)

// Folder returns the folder of journals, and of the data of nodes that brokerbench starts. It is on a
// disk: in memory, as /tmp may be, fsync would be free.
func Folder() string {
	parent, err := os.UserCacheDir()
	if err != nil {
		parent = os.TempDir()
	}
	return filepath.Join(parent, "brokerbench", "systems")
}

// createJournal creates a journal that this process owns.
func createJournal() (*journal, error) {
	if err := os.MkdirAll(Folder(), 0o755); err != nil { //nolint:gosec // brokers may run as other users
		return nil, fmt.Errorf("creating the guardian's journal: %w", err)
	}
	file, err := os.CreateTemp(Folder(), journals+unlocked)
	if err != nil {
		return nil, fmt.Errorf("creating the guardian's journal: %w", err)
	}
	j := &journal{file}
	if err = lock(file); err == nil {
		on := here()
		err = j.write(change{On: &on})
	}
	if err == nil {
		err = os.Rename(file.Name(), strings.TrimSuffix(file.Name(), unlocked))
	}
	if err != nil {
		return nil, fmt.Errorf("creating the guardian's journal: %w", errors.Join(err, file.Close(), os.Remove(file.Name())))
	}
	return j, nil
}

func (j *journal) name() string { return strings.TrimSuffix(j.file.Name(), unlocked) }

// claim opens a journal and becomes its owner; nil if it has an owner, or is gone.
func claim(name string) (*journal, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		_ = file.Close()
		return nil, nil // it has an owner
	}
	if err := mine(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &journal{file}, nil
}

func (j *journal) write(c change) error {
	line, err := json.Marshal(c)
	if err == nil {
		_, err = j.file.Write(slices.Concat([]byte("\n"), line, []byte("\n"))) // the line before may have been cut by a full disk
	}
	if err != nil {
		return fmt.Errorf("writing the guardian's journal: %w", err)
	}
	return nil
}

// read returns the list, and where it was written; nil if an earlier version wrote it.
func (j *journal) read() (list []entry, on *place, err error) {
	if _, err := j.file.Seek(0, 0); err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(j.file)
	lines.Buffer(nil, 2<<20)
	for lines.Scan() {
		var c change
		if json.Unmarshal(lines.Bytes(), &c) != nil {
			continue
		}
		if c.On != nil {
			on = c.On
			continue
		}
		list = slices.DeleteFunc(list, func(e entry) bool { return e.number == c.Number })
		if c.Undo != nil {
			list = append(list, entry{number: c.Number, undo: *c.Undo})
		}
	}
	return list, on, lines.Err()
}

// undo does a list, the last entry first, but what is removed and run after the processes have ended: they
// may use it. killRest kills those that are in no entry. It removes the journal if all succeeds; otherwise
// the failures are left in it, without an owner.
func (j *journal) undo(list []entry, killRest func() error, do func(entry) error) error {
	list = slices.Clone(list)
	slices.Reverse(list)
	var errs []error
	doIf := func(last bool) {
		for _, e := range list {
			if e.undo.last() != last {
				continue
			}
			err := do(e)
			if err == nil {
				err = j.write(change{Number: e.number})
			}
			errs = append(errs, err)
		}
	}
	doIf(false)
	errs = append(errs, killRest())
	doIf(true)
	err := errors.Join(errs...)
	if err == nil {
		err = os.RemoveAll(j.name()) // which a user may have removed
	}
	return errors.Join(err, j.file.Close())
}

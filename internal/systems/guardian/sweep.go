package guardian

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// mark is a variable in the environment of all that a guardian starts. It names the guardian's journal.
const mark = "GUARDIAN_OF_BROKERBENCH"

// An Undone is what a guardian left behind that was killed.
type Undone struct {
	Undo Undo
	Err  error // why it is still there
}

// Sweep undoes everything that guardians left behind that were killed with their brokerbench; in a dry
// run it only returns what that is.
func Sweep(dry bool) (all []Undone, err error) {
	names, err := filepath.Glob(filepath.Join(Folder(), journals))
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range names {
		undone, err := sweep(name, dry)
		all, errs = append(all, undone...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// sweep undoes what is in one journal, unless it has an owner.
func sweep(name string, dry bool) (all []Undone, err error) {
	j, err := claim(name)
	if j == nil || err != nil {
		return nil, err
	}
	list, on, err := j.read()
	at := here()
	if err != nil || on != nil && on.Host != at.Host { // a host that shares the folder has it
		return nil, errors.Join(err, j.file.Close())
	}
	if on != nil && on.Boot != at.Boot { // its processes and mounts ended with the machine
		list = slices.DeleteFunc(list, func(e entry) bool { return e.undo.Kill != nil || e.undo.Continue != nil || e.undo.Unmount != "" })
	}
	if dry {
		for _, e := range list {
			all = append(all, Undone{Undo: e.undo})
		}
		return all, j.file.Close()
	}
	err = j.undo(list, func() error { return killMarked(name) }, func(e entry) error {
		err := e.undo.do()
		all = append(all, Undone{e.undo, err})
		return err
	})
	return all, err
}

// killMarked kills what the guardian of a journal started and the kernel did not kill with it.
func killMarked(name string) error {
	return killAll(func() []process.ID { return process.Marked(mark + "=" + name) })
}

// inheritance is how long the kernel may take to release the lock of a guardian that was killed, and
// another brokerbench to undo everything in its place.
const inheritance = time.Minute

// inherit undoes everything in place of a guardian that was killed.
func inherit(name string) error {
	for deadline := time.Now().Add(inheritance); ; time.Sleep(10 * time.Millisecond) {
		_, err := sweep(name, false)
		if _, gone := os.Stat(name); err != nil || gone != nil || time.Now().After(deadline) {
			return err
		}
	}
}

// String says what it undoes.
func (u Undo) String() string {
	switch {
	case u.Continue != nil:
		return fmt.Sprintf("continue pid %d", u.Continue.PID)
	case u.Kill != nil:
		return fmt.Sprintf("kill pid %d", u.Kill.PID)
	case u.Remove != "":
		return "remove " + u.Remove
	case u.Unmount != "":
		return "unmount " + u.Unmount
	}
	return "run " + strings.Join(u.Run, " ")
}

// Package guardian undoes a run's changes to a machine, however the run ends. A separate
// child process of brokerbench starts the processes of a run, and keeps a list of undos. When
// its parent is gone, even by SIGKILL, it ends those processes with all of their descendants,
// and runs the rest of the list, the last entry first. If the guardian itself is killed, its
// parent does that, and if both are, the next brokerbench: the list is in a journal.
//
// An undo is registered before its action. A sequence of events shows why: brokerbench stops a
// process and is killed before it tells the guardian how to continue that process.
package guardian

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/self"
)

// command starts this program as a guardian.
const command = "guardian-child"

// A Command is a process to start.
type Command struct {
	Args []string      `json:"args"`           // the program and its arguments
	Dir  string        `json:"dir,omitempty"`  // where it runs; "": where brokerbench does
	Env  []string      `json:"env,omitempty"`  // NAME=value, besides those of brokerbench
	Log  string        `json:"log,omitempty"`  // file to which is added what it prints; "": nowhere
	Ends time.Duration `json:"ends,omitempty"` // how long it may take to end in good order when the guardian ends it; 0: it is killed
}

// An Undo is what is done when it is time: exactly one of its fields is set.
type Undo struct {
	Continue *process.ID `json:"continue,omitempty"` // let a process go on
	Kill     *process.ID `json:"kill,omitempty"`     // kill a process and what it started
	Remove   string      `json:"remove,omitempty"`   // remove a file, or a folder and what is in it
	Run      []string    `json:"run,omitempty"`      // run a command, for half a minute at most
	Unmount  string      `json:"unmount,omitempty"`  // unmount whatever is mounted at a folder or below it; Linux only
}

// A Guardian is the parent's side. It is safe for concurrent use.
type Guardian struct {
	mu      sync.Mutex
	child   *self.Process // whose first line is the name of its journal
	closing sync.Once
	inherit func() error // undoes everything once, in place of a guardian that was killed
}

// Start starts the child, after it has undone what is left of guardians that were killed. The caller calls
// Close.
func Start() (*Guardian, error) {
	_, left := Sweep(false)
	child, err := self.Start("guardian", command)
	if err != nil {
		return nil, errors.Join(err, left)
	}
	return &Guardian{child: child, inherit: sync.OnceValue(func() error { return inherit(child.Ready) })}, nil
}

// Serve runs this process as a guardian if args, without the program's name, are those of
// one. It then returns when in has ended and everything is undone.
func Serve(args []string, in io.Reader, out io.Writer) (isGuardian bool, err error) {
	if len(args) != 1 || args[0] != command {
		return false, nil
	}
	return true, serve(in, out)
}

// PID returns the child's.
func (g *Guardian) PID() int { return g.child.PID }

// Run starts a process. It ends when brokerbench ends.
func (g *Guardian) Run(c Command) (process.ID, error) {
	a, err := g.ask(question{Run: &c})
	return a.ID, err
}

// How returns how a process that Run started ended, such as "exit status 1"; "" while it
// runs.
func (g *Guardian) How(id process.ID) (string, error) {
	a, err := g.ask(question{How: &id})
	return a.How, err
}

// Before adds an undo to the list. Call it before the action.
func (g *Guardian) Before(u Undo) (entry int, err error) {
	a, err := g.ask(question{Before: &u})
	return a.Entry, err
}

// OnExit is Before for a command, which runs when undo is called or else when brokerbench has
// ended.
func (g *Guardian) OnExit(command []string) (undo func() error, err error) {
	entry, err := g.Before(Undo{Run: command})
	return func() error { return g.Undo(entry) }, err
}

// Undo does what Before added, and takes it from the list if that worked.
func (g *Guardian) Undo(entry int) error {
	_, err := g.ask(question{Undo: entry})
	return err
}

// Forget takes what Before added from the list: somebody else undid it.
func (g *Guardian) Forget(entry int) error {
	_, err := g.ask(question{Forget: entry})
	return err
}

// Close undoes everything that is left, and ends the child. It is safe to call twice.
func (g *Guardian) Close() (err error) {
	g.closing.Do(func() {
		_, err = g.ask(question{All: true})
		g.mu.Lock()
		defer g.mu.Unlock()
		err = errors.Join(err, g.child.Stop())
	})
	return err
}

// A question is what the parent asks for. One of its fields is set.
type question struct {
	Run    *Command    `json:"run,omitempty"`
	How    *process.ID `json:"how,omitempty"`
	Before *Undo       `json:"before,omitempty"`
	Undo   int         `json:"undo,omitempty"`
	Forget int         `json:"forget,omitempty"`
	All    bool        `json:"all,omitempty"`
}

// An answer is what the child answers.
type answer struct {
	ID    process.ID `json:"id"`
	How   string     `json:"how,omitempty"`
	Entry int        `json:"entry,omitempty"`
	Error string     `json:"error,omitempty"`
}

func (g *Guardian) ask(q question) (a answer, err error) {
	text, err := json.Marshal(q)
	if err != nil {
		return a, fmt.Errorf("asking the guardian: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	line, err := g.child.Ask(string(text))
	if err != nil {
		undone := g.inherit()
		if q.All || q.Undo != 0 || q.Forget != 0 { // so that is done, too
			return a, undone
		}
		return a, errors.Join(err, undone)
	}
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		return a, fmt.Errorf("reading what the guardian answers: %w", err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

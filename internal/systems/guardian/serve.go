package guardian

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
	"github.com/brokerbench/brokerbench/internal/leaf/self"
)

// A ward is the child's side: the list, and the processes that it started. It is used by
// one goroutine.
type ward struct {
	journal *journal
	entries []entry // in the order in which they were added
	added   int
	over    bool // all was called

	mu      sync.Mutex       // held while a child of ours may not be waited for by reap
	started map[int]*started // by pid
}

// An entry of the list is an undo, or a process that was started.
type entry struct {
	number int
	undo   Undo
	run    *started
}

// serve answers the parent until in ends, and then undoes everything. Whatever signals
// brokerbench, its terminal or its group gets, this goes on: it ends when brokerbench does.
func serve(in io.Reader, out io.Writer) error {
	// Caught, not ignored: child processes would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	runtime.LockOSThread() // the kernel kills our children when the thread that started them is gone
	adopt(true)
	w := &ward{started: make(map[int]*started)}
	if err := w.keep(); err != nil {
		return err
	}
	go w.reap()
	err := self.Answer(in, out, w.journal.name(), w.reply)
	return errors.Join(err, w.all())
}

// keep begins the journal, and marks what this process will start.
func (w *ward) keep() (err error) {
	if w.journal, err = createJournal(); err != nil {
		return err
	}
	return os.Setenv(mark, w.journal.name())
}

// reply answers a line.
func (w *ward) reply(line string) string {
	var q question
	if err := json.Unmarshal([]byte(line), &q); err != nil {
		return line // which is no answer
	}
	a, err := w.answer(q)
	if err != nil {
		a.Error = err.Error()
	}
	text, _ := json.Marshal(a) // plain data
	return string(text)
}

func (w *ward) answer(q question) (a answer, err error) {
	switch {
	case q.Run != nil:
		a.ID, err = w.run(*q.Run)
	case q.How != nil:
		a.How, err = w.how(*q.How)
	case q.Before != nil:
		a.Entry, err = w.add(entry{undo: *q.Before})
	case q.Undo != 0:
		err = w.undo(q.Undo)
	case q.Forget != 0:
		err = w.forget(q.Forget)
	case q.All:
		err = w.all()
	}
	return a, err
}

func (w *ward) add(e entry) (number int, err error) {
	w.added++
	e.number = w.added
	w.entries = append(w.entries, e)
	return e.number, w.journal.write(change{Number: e.number, Undo: &e.undo})
}

// run starts a process and adds it to the list.
func (w *ward) run(c Command) (process.ID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := start(c)
	if err != nil {
		return process.ID{}, err
	}
	w.started[s.id.PID] = s
	_, err = w.add(entry{run: s, undo: Undo{Kill: &s.id}})
	return s.id, err
}

// reap waits for adopted processes. Without it they would stay as zombies until the end, and
// kill -0 would report them as running.
func (w *ward) reap() {
	ended := make(chan os.Signal, 1)
	childrenEnd(ended)
	for range ended {
		w.mu.Lock()
		process.Reap(func(pid int) bool { return w.started[pid] != nil && w.started[pid].how() == "" })
		w.mu.Unlock()
	}
}

// do runs an undo. It does not kill the processes that the command leaves behind: one may be a
// daemon that the undo has restarted.
func (w *ward) do(u Undo) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(u.Run) > 0 {
		adopt(false)
		defer adopt(true)
	}
	return u.do()
}

func (w *ward) how(id process.ID) (string, error) {
	s := w.started[id.PID]
	if s == nil || s.id != id {
		return "", fmt.Errorf("pid %d: the guardian did not start it", id.PID)
	}
	return s.how(), nil
}

// undo does an entry. One that fails stays in the list.
func (w *ward) undo(number int) error {
	i := slices.IndexFunc(w.entries, func(e entry) bool { return e.number == number })
	if i < 0 {
		return fmt.Errorf("the guardian's list has no entry %d", number)
	}
	if err := w.do(w.entries[i].undo); err != nil {
		return err
	}
	return w.forget(number)
}

func (w *ward) forget(number int) error {
	w.entries = slices.DeleteFunc(w.entries, func(e entry) bool { return e.number == number })
	return w.journal.write(change{Number: number})
}

// all does the whole list, once. Nothing that was started is left then.
func (w *ward) all() error {
	if w.over {
		return nil
	}
	w.over = true
	for _, e := range w.entries { // they end at the same time
		if e.run != nil {
			e.run.terminate()
		}
	}
	return w.journal.undo(w.entries, killAdopted, func(e entry) error {
		if e.run != nil {
			return e.run.end()
		}
		return w.do(e.undo)
	})
}

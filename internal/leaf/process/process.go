// Package process finds, watches and signals other processes of this machine, such as a broker
// and its children, and lists mounts. A system without /proc has no families of processes and no
// mounts; one without signals cannot do anything to a process.
package process

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"time"
)

// ErrEnded means that a process cannot be ended because it has ended by itself.
var ErrEnded = errors.New("it had ended before")

// An ID identifies a process: its number alone may have been reused.
type ID struct {
	PID     int
	Started uint64 // in ticks since the machine started; 0: not known
}

// Counters are the resources that a process has used since it began, and its memory now. Values
// that cannot be read are nil.
type Counters struct {
	CPU                     *time.Duration // user and system, also of threads that have ended
	Resident, Read, Written *int64         // bytes: in memory now; from disks and to files
	Cancelled               *int64         // bytes of Written that never reach the disk: their file was deleted or cut first
}

// tailSize is how much of the output of a command is kept, in bytes.
const tailSize = 4096

// A Tail keeps the end of the output of a command. Its zero value is ready to use, and it is
// safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailSize):]...)
	t.text = append(t.text[:0], t.text[max(0, len(t.text)-tailSize):]...)
	return len(p), nil
}

// LastLine returns the last line that is not blank, without the blanks around it.
func (t *Tail) LastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.text)
	return strings.TrimSpace(string(text[bytes.LastIndexByte(text, '\n')+1:]))
}

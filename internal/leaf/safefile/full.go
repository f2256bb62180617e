package safefile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"
)

// Full reports whether an error is that of a disk without space.
func Full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// FullText tells the user of a folder on a disk without space.
func FullText(dir string, err error) string {
	var cause syscall.Errno
	errors.As(err, &cause)
	return fmt.Sprintf("%s: %v: free some space there; the run goes on then and loses nothing, or Ctrl-C twice ends it", dir, cause)
}

// A Room waits until a full disk has space again.
type Room struct {
	Say    func(text string) // tells the user which folder is full
	GiveUp <-chan struct{}   // ends the waiting once it is closed; nil: never
}

// roomEvery is how often a full disk is tried again.
const roomEvery = time.Second

// Wait calls what writes below a folder until the disk has space for it. The error is that of the full
// disk if ctx ends or the user gives up before.
func (r Room) Wait(ctx context.Context, dir string, write func() error) error {
	for waited := false; ; waited = true {
		err := write()
		if !Full(err) || r.over(ctx) {
			return err
		}
		if !waited {
			r.Say(FullText(dir, err))
		}
		select {
		case <-time.After(roomEvery):
			continue
		case <-ctx.Done():
		case <-r.GiveUp:
		}
		return err
	}
}

// over reports whether there is nothing to wait for.
func (r Room) over(ctx context.Context) bool {
	select {
	case <-r.GiveUp:
		return true
	default:
		return ctx.Err() != nil
	}
}

// A Backlog passes data on to a file, and holds what a full disk does not take until it has space.
type Backlog struct {
	file io.WriteCloser
	held []byte
}

// NewBacklog returns a Backlog of a file.
func NewBacklog(file io.WriteCloser) *Backlog { return &Backlog{file: file} }

// mostHeld limits what a Backlog holds.
const mostHeld = 16 << 20

// Write implements io.Writer. It takes all of p, or nothing.
func (b *Backlog) Write(p []byte) (int, error) {
	before := len(b.held)
	b.held = append(b.held, p...)
	err := b.Flush()
	if err == nil || Full(err) && len(b.held) <= mostHeld {
		return len(p), nil
	}
	b.held = b.held[:min(before, len(b.held))]
	return 0, err
}

// Held reports whether data is held.
func (b *Backlog) Held() bool { return len(b.held) > 0 }

// Flush writes the data that is held.
func (b *Backlog) Flush() error {
	if !b.Held() {
		return nil
	}
	n, err := b.file.Write(b.held)
	b.held = b.held[:copy(b.held, b.held[n:])]
	return err
}

// Close writes the data that is held and closes the file.
func (b *Backlog) Close() error { return cmp.Or(b.Flush(), b.file.Close()) }

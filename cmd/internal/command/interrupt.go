package command

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/live"
)

// lastResort is how long the second Ctrl-C waits for the results to be saved before it
// ends the process.
const lastResort = 2 * time.Second

// Interruptible returns a context that the first Ctrl-C (or SIGTERM, or the end of
// the terminal) ends: the cell under way is finished and kept. The second closes
// giveUp: the cell is kept at once, as far as it was measured. The third ends the process.
//
// A closed pipe on the output does not end the context: writing to it is an error like
// others. w must not block.
func Interruptible(parent context.Context, w io.Writer) (ctx context.Context, giveUp <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // it is under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Ignore(syscall.SIGPIPE)
	done, second := make(chan struct{}), make(chan struct{})
	go func() {
		if !received(signals, done) {
			return
		}
		cancel()
		const text = "stopping: late replies are awaited, and the measured part is kept (once more: at once)"
		live.Say(w, live.Notice{Kind: live.Interrupted, Text: text}, "\nbrokerbench: "+text)
		if !received(signals, done) {
			return
		}
		close(second)
		select {
		case <-signals:
		case <-time.After(lastResort):
		case <-done:
			return
		}
		os.Exit(ExitInterrupted)
	}()
	return ctx, second, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// received waits for a signal; it returns false if done is closed before.
func received(signals <-chan os.Signal, done <-chan struct{}) bool {
	select {
	case <-signals:
		return true
	case <-done:
		return false
	}
}

package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/live"
)

// lastResort is how long the second Ctrl-C waits for what is kept, before it ends
// the process whatever it does.
const lastResort = 2 * time.Second

// interruptible returns a context that the first Ctrl-C (or SIGTERM, or the end of
// the terminal) ends: the cell under way is finished and kept. The second closes
// giveUp: what there is of the cell is kept at once. The third ends the process.
//
// A reader of our output that has gone is no reason to end: writing to it is an
// error like others. w must not block.
func interruptible(parent context.Context, w io.Writer) (ctx context.Context, giveUp <-chan struct{}, stop func()) {
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
		const text = "interrupted; finishing the cell and keeping what was measured (once more: at once)"
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
		os.Exit(exitInterrupted)
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

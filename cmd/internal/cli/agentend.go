package cli

import (
	"context"
	"errors"
	"os"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/agents/agent"
)

// Why an agent ends before its run does.
var (
	errSignal = errors.New("interrupted")
	errInput  = errors.New("standard input has ended")
)

// ofAgent returns an agent's error with its exit code. It removes the agent's folder, unless the
// folder holds an undelivered result that may be needed. The result is not needed if the agent's
// standard input has ended: its coordinator is gone, or measures without it.
func ofAgent(err error, dir string) error {
	kept := new(agent.Undelivered)
	switch {
	case errors.Is(err, errInput):
		err = errInput
	case errors.As(err, &kept):
		if errors.Is(err, errSignal) {
			return command.Fail(command.ExitInterrupted, err)
		}
		return err
	case errors.Is(err, errSignal):
		err = command.Fail(command.ExitInterrupted, nil)
	}
	if failed := os.RemoveAll(dir); err == nil {
		return failed
	}
	return err
}

// until returns a context that ends with the user's first signal or with standard input, and a
// channel that is closed with the second signal or with standard input, as the coordinator then
// no longer waits for the agent.
func until(signals context.Context, s command.Streams, input <-chan struct{}) (ctx context.Context, giveUp <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(signals))
	unlink := context.AfterFunc(signals, func() { cancel(errSignal) })
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-s.GiveUp:
			close(over)
		case <-input:
			cancel(errInput)
			close(over)
		case <-done:
		}
	}()
	return ctx, over, func() {
		unlink()
		close(done)
		cancel(nil)
	}
}

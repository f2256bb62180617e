package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/agents/agent"
)

// The first signal lets an agent deliver, the second ends it at once, and so does the end of
// standard input.
func TestUntilWhenAnAgentGoesOn(t *testing.T) {
	for _, tt := range []struct {
		do     string
		want   error
		atOnce bool
	}{
		{"nothing", nil, false},
		{"signal", errSignal, false},
		{"two signals", errSignal, true},
		{"end of input", errInput, true},
		{"signal, and end of input", errSignal, true},
	} {
		t.Run(tt.do, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				signals, cancel := context.WithCancel(t.Context())
				second, input := make(chan struct{}), make(chan struct{})
				ctx, giveUp, stop := until(signals, command.Streams{GiveUp: second}, input)
				if strings.Contains(tt.do, "signal") {
					cancel()
					synctest.Wait()
				}
				if tt.do == "two signals" {
					close(second)
				}
				if strings.Contains(tt.do, "input") {
					close(input)
				}
				synctest.Wait()
				atOnce := false
				select {
				case <-giveUp:
					atOnce = true
				default:
				}
				if err := context.Cause(ctx); !errors.Is(err, tt.want) || atOnce != tt.atOnce {
					t.Errorf("%v, at once: %v; want %v, %v", err, atOnce, tt.want, tt.atOnce)
				}
				stop()
				cancel()
			})
		})
	}
}

func TestWhatAnAgentLeaves(t *testing.T) {
	undelivered := func(why error) error { return errors.Join(&agent.Undelivered{Dir: "d", Cause: why}) }
	lost := errors.New("no coordinator was heard of for 1h0m0s")
	for _, tt := range []struct {
		err  error
		code int
		text string
		kept bool
	}{
		{nil, command.ExitGood, "", false},
		{lost, command.ExitError, lost.Error(), false},
		{undelivered(lost), command.ExitError, lost.Error() + ": the result was not delivered, and is kept in d", true},
		{errSignal, command.ExitInterrupted, "", false},
		{undelivered(errSignal), command.ExitInterrupted, "interrupted: the result was not delivered, and is kept in d", true},
		{errInput, command.ExitError, errInput.Error(), false},
		{undelivered(errInput), command.ExitError, errInput.Error(), false},
	} {
		dir := t.TempDir()
		err := ofAgent(tt.err, dir)
		if text := fmt.Sprint(errors.Join(err)); command.ExitCode(err) != tt.code || err != nil && text != tt.text {
			t.Errorf("%v: exit code %d, %q; want %d, %q", tt.err, command.ExitCode(err), text, tt.code, tt.text)
		}
		if _, failed := os.Stat(dir); (failed == nil) != tt.kept {
			t.Errorf("%v: its folder: %v, kept: %v", tt.err, failed, tt.kept)
		}
	}
}

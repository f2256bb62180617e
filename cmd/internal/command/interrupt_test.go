//go:build unix

package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// deaf makes the process of a test one that does not hear of interrupts.
const deaf = "TEST_IS_DEAF"

// A command that listens to neither its context nor giveUp, such as one that merges the results of
// many agents, ends soon after the second Ctrl-C.
func TestTheSecondInterruptEndsWhatDoesNotListen(t *testing.T) {
	if os.Getenv(deaf) != "" {
		_, _, stop := Interruptible(context.Background(), os.Stdout)
		defer stop()
		fmt.Fprintln(os.Stdout, "begun")
		time.Sleep(time.Minute) // the test's limit
		return
	}
	c := exec.Command(os.Args[0], "-test.run", t.Name())
	c.Env = append(os.Environ(), deaf+"=1")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, want := range []string{"begun", "", "brokerbench: stopping: late replies are awaited, and the measured part is kept (once more: at once)"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("it says %q, want %q", lines.Text(), want)
		}
		if want == "" {
			continue
		}
		if err := c.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	_, _ = io.Copy(io.Discard, out)
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ExitInterrupted {
		t.Errorf("%v, want exit code %d", err, ExitInterrupted)
	}
	if took := time.Since(begun); took > 20*lastResort {
		t.Errorf("it took %v", took)
	}
}

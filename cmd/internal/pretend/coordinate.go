//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"github.com/brokerbench/brokerbench/cluster/wire"
)

// patience bounds what takes seconds on a machine that has time.
const patience = 5 * time.Minute

// perAgent is the rate of an agent's part, per second.
const perAgent = 20

// coordinate runs a coordinator with n agents, and returns what it cost.
func coordinate(ctx context.Context, program string, n int, duration time.Duration) (c costs, err error) {
	dir, err := os.MkdirTemp("", "pretend")
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := command(ctx, program, dir, n, duration)
	var result, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &result, &said
	if err := cmd.Start(); err != nil {
		return c, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	c, err = observe(ctx, cmd.Process.Pid, dir, n, ended)
	if err != nil {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
		return c, fmt.Errorf("%w; the coordinator: %s", err, strings.TrimSpace(said.String()))
	}
	c.finishCPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - c.finishCPU
	return c, whole(result.Bytes(), n)
}

// command is the coordinator. All clocks are those of one machine, which may be so busy with
// a thousand agents that exchanges take long: how well clocks are known is not the question here.
func command(ctx context.Context, program, dir string, n int, duration time.Duration) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, "run", "loopback:", "--agents", "wait:"+strconv.Itoa(n), "--agents-wait", patience.String(), "--max-skew", "10s", "--lease", "1m", //nolint:gosec // the program to measure
		"--rate", strconv.Itoa(perAgent*n), "--connections", strconv.Itoa(n), "--warmup", "1s", "--duration", duration.String(),
		"--floor", "off", "--report", "off", "--quiet", "--format", "json", "--out", filepath.Join(dir, "out"))
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	return cmd
}

// observe runs the agents until the coordinator has ended, and looks at it meanwhile. The
// costs' finishCPU is what it had used when the last message was due.
func observe(ctx context.Context, pid int, dir string, n int, ended chan error) (c costs, err error) {
	joins, err := waitForJoins(ctx, dir, n, ended)
	if err != nil {
		return c, err
	}
	m, err := newMeter(ctx, strings.TrimPrefix(joins[0].URL, "nats://"))
	if err != nil {
		return c, err
	}
	defer m.close()
	for i := range joins {
		joins[i].URL = "nats://" + m.addr
	}
	crowd := newCrowd(joins, filepath.Join(dir, "agents"))
	ctx, cancel := context.WithCancel(ctx)
	crowd.begin(ctx)
	defer crowd.wait()
	defer cancel() // agents that do not hear that the run is over wait for ten minutes

	if err := until(ctx, crowd.started, ended, crowd.failed); err != nil {
		return c, err
	}
	from := read(pid, m)
	if err := until(ctx, crowd.measured, ended, crowd.failed); err != nil {
		return c, err
	}
	to := read(pid, m)
	resident, err := end(ctx, pid, ended)
	over := time.Now()
	return costs{
		agents: n, duration: to.at.Sub(from.at), cpu: to.cpu - from.cpu, read: to.read - from.read, written: to.written - from.written,
		results: m.read.Load() - to.read, finish: over.Sub(to.at), finishCPU: to.cpu, resident: max(resident, to.resident),
	}, err
}

// waitForJoins returns the join files that the coordinator writes, one for each of n agents.
func waitForJoins(ctx context.Context, dir string, n int, ended chan error) (joins []wire.Join, err error) {
	for {
		files, _ := filepath.Glob(filepath.Join(dir, "state", "brokerbench", "*", "join", "*.json"))
		if len(files) == n {
			return readJoins(files)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err := <-ended:
			ended <- err
			return nil, errors.New("the coordinator ended before it wrote the join files")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func readJoins(files []string) (joins []wire.Join, err error) {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		join, err := wire.ReadJoin(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		joins = append(joins, join)
	}
	return joins, nil
}

// until waits for something to happen.
func until(ctx context.Context, happens <-chan struct{}, ended chan error, failed <-chan error) error {
	select {
	case <-happens:
		return nil
	case err := <-failed:
		return fmt.Errorf("an agent: %w", err)
	case err := <-ended:
		ended <- err
		return errors.New("the coordinator ended too early")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end waits for the coordinator's end, and returns the most memory that it had.
func end(ctx context.Context, pid int, ended chan error) (resident int64, err error) {
	for {
		resident = max(resident, residentOf(pid))
		select {
		case err := <-ended:
			ended <- nil // for who waits for it again
			if code := new(exec.ExitError); errors.As(err, &code) && code.ExitCode() == invalid {
				err = nil
			}
			return resident, err
		case <-ctx.Done():
			return resident, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// invalid is the exit code of a cell whose latencies cannot be trusted. Nobody asks for them.
const invalid = 4

// A reading is what the coordinator has used by now.
type reading struct {
	at            time.Time
	cpu           time.Duration
	read, written int64
	resident      int64
}

func read(pid int, m *meter) reading {
	r := reading{at: time.Now(), read: m.read.Load(), written: m.written.Load(), resident: residentOf(pid)}
	if p, err := procfs.NewProc(pid); err == nil {
		if stat, err := p.Stat(); err == nil {
			r.cpu = time.Duration(stat.CPUTime() * float64(time.Second))
		}
	}
	return r
}

func residentOf(pid int) int64 {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0 // it is over
	}
	status, err := p.NewStatus()
	if err != nil {
		return 0
	}
	return int64(status.VmHWM)
}

// whole wants the result, as the coordinator printed it, to be that of all agents.
func whole(document []byte, n int) error {
	var d struct {
		Cells []struct {
			Ledger struct{ Due, Done int64 }
			Agents []struct{ Lost string }
		}
	}
	if json.Unmarshal(document, &d) != nil || len(d.Cells) != 1 {
		return fmt.Errorf("the coordinator printed no result: %s", document)
	}
	cell := d.Cells[0]
	if len(cell.Agents) != n || cell.Ledger.Due == 0 || cell.Ledger.Done != cell.Ledger.Due {
		return fmt.Errorf("%d of %d messages are done, by %d agents of %d", cell.Ledger.Done, cell.Ledger.Due, len(cell.Agents), n)
	}
	return nil
}

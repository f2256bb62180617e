//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// collectJVM has the broker's JVM collect everything in each burst. It speaks the protocol of jcmd, whose own JVM would take
// a processor.
func collectJVM(s *scene) (h harm, err error) {
	for _, pid := range s.node {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // it may have ended
		if strings.TrimSpace(string(name)) != "java" {
			continue
		}
		if err := command(fmt.Sprintf("jcmd %d VM.uptime", pid))(); err != nil { // has the JVM listen
			return h, err
		}
		time.Sleep(500 * time.Millisecond)
		collect := func() error { return attach(pid, "GC.run") }
		return harm{collect, nothing, nothing}, nil
	}
	return h, errors.New("the broker has no JVM")
}

// attach has a JVM do a command of jcmd.
func attach(pid int, text string) error {
	c, err := net.Dial("unix", fmt.Sprintf("/tmp/.java_pid%d", pid)) //nolint:noctx // it is on this machine
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "1\x00jcmd\x00%s\x00\x00\x00", text); err != nil {
		return err
	}
	answer, err := io.ReadAll(c)
	if err == nil && !strings.HasPrefix(string(answer), "0\n") {
		err = fmt.Errorf("the JVM answered %q", answer)
	}
	return err
}

// collectErlang has all processes of the broker's Erlang machine collect, again and again, while a file exists.
func collectErlang(s *scene) (h harm, err error) {
	dir, err := os.MkdirTemp("", "causes-")
	if err != nil {
		return h, err
	}
	during, until := filepath.Join(dir, "collect"), filepath.Join(dir, "end")
	for _, pid := range s.node {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // it may have ended
		if strings.TrimSpace(string(name)) != "beam.smp" {
			continue
		}
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			return h, err
		}
		const loop = `Is = fun(F) -> case prim_file:read_file_info(F) of {ok, _} -> true; _ -> false end end,
			Loop = fun(G) -> case {Is(%q), Is(%q)} of
				{true, _} -> ok;
				{_, true} -> [erlang:garbage_collect(P) || P <- processes()], G(G);
				_ -> timer:sleep(2), G(G) end end,
			spawn(fun() -> Loop(Loop) end).`
		c := exec.Command("/usr/lib/rabbitmq/bin/rabbitmqctl", "eval", fmt.Sprintf(loop, until, during)) //nolint:gosec,noctx // it is bound by the run
		c.Env = strings.Split(strings.TrimRight(string(environment), "\x00"), "\x00")
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if out, err := c.CombinedOutput(); err != nil {
			return h, fmt.Errorf("rabbitmqctl eval: %w: %s", err, out)
		}
		touch := func(name string) error { return os.WriteFile(name, nil, 0o644) } //nolint:gosec // the broker has to see it
		h.begin = func() error { return touch(during) }
		h.end = func() error { return os.Remove(during) }
		h.close = func() error {
			err := touch(until)
			time.Sleep(100 * time.Millisecond)
			return errors.Join(err, os.RemoveAll(dir))
		}
		return h, os.Chmod(dir, 0o755) //nolint:gosec // the same
	}
	return h, errors.New("the broker has no Erlang machine")
}

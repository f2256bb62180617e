//go:build linux

package faults

import (
	"syscall"
	"time"
)

// clients are rows in which something happens to the program itself.
func clients() []row {
	signal := func(signals ...syscall.Signal) func(*attempt) {
		return func(a *attempt) {
			for _, s := range signals {
				a.signal(s)
				time.Sleep(300 * time.Millisecond)
			}
		}
	}
	return []row{
		{fault: "client killed", during: func(a *attempt) {
			time.Sleep(700 * time.Millisecond) // so that the first second is in the log
			a.signal(syscall.SIGKILL)
		}, exit: []int{-1}, killed: true},
		{fault: "client interrupted", during: signal(syscall.SIGINT), exit: []int{130}},
		{fault: "client interrupted twice", during: signal(syscall.SIGINT, syscall.SIGINT), exit: []int{130}, leaves: true},
		{fault: "client terminated", during: signal(syscall.SIGTERM), exit: []int{130}},
		{fault: "client hung up", during: signal(syscall.SIGHUP), exit: []int{130}},
		{fault: "client stopped for 1 s", during: func(a *attempt) {
			a.signal(syscall.SIGSTOP)
			time.Sleep(time.Second)
			a.signal(syscall.SIGCONT)
		}},
		{fault: "client on one core", shell: "export GOMAXPROCS=1 && taskset -pc 0 $$ >/dev/null"},
		{
			fault: "client out of descriptors", shell: "ulimit -n 32", args: []string{"--connections", "40"},
			exit: []int{2}, unmade: true, says: []string{"ulimit -n"}, late: 12 * time.Second,
		},
		{fault: "two runs into one folder", during: func(*attempt) {}, before: second},
	}
}

// second starts the same run beside the first, which begins at the same moment.
func second(a *attempt) {
	cmd := a.start(".2")
	a.t.Cleanup(func() { _ = cmd.Process.Kill() })
	a.row.after = func(a *attempt) {
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 4 { // late, as the first may be
			a.fall("the second run: %v", err)
		}
		if folders := a.runs(); len(folders) != 2 {
			a.fall("folders %v, want two", folders)
		}
	}
}

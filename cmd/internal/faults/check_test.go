//go:build linux

package faults

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// check holds what is true after every fault.
func (a *attempt) check() {
	limit := a.row.window + a.row.timeout + a.row.late
	if a.took > limit {
		a.fall("took %v, more than %v", a.took, limit)
	}
	a.checkExit()
	a.checkSpeech()
	a.checkFiles()
	a.checkSecret()
	a.checkProcesses()
	a.checkBroker()
}

// checkExit lets a cell be invalid on a busy machine if it is only late.
func (a *attempt) checkExit() {
	switch {
	case a.row.exit != nil && !slices.Contains(a.row.exit, a.exit):
		a.fall("exit code %d, want one of %v", a.exit, a.row.exit)
	case a.row.exit == nil && a.exit != 0 && a.exit != 4:
		a.fall("exit code %d, want 0", a.exit)
	}
}

// checkSpeech wants what is said to be clear.
func (a *attempt) checkSpeech() {
	for _, text := range a.row.says {
		if !strings.Contains(a.stderr, text) {
			a.fall("standard error does not say %q", text)
		}
	}
	for _, bad := range []string{"panic:", "goroutine 1 [", "runtime error", "%!", "brokers/", "requester/", "measure: "} {
		if strings.Contains(a.stdout+a.stderr, bad) {
			a.fall("it says %q", bad)
		}
	}
	last := lastLine(a.stderr)
	switch {
	case len(last) > 600:
		a.fall("the last line has %d characters", len(last))
	case a.row.unmade && (strings.Count(a.stderr, "\n") != 1 || !strings.HasPrefix(last, "brokerbench: ")):
		a.fall("not one line that says why: %q", cut(a.stderr))
	case !a.row.killed && a.exit != 0 && a.exit != 141 && last == "" && lastLine(a.stdout) == "":
		a.fall("exit code %d without a word", a.exit)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// checkSecret wants the password of the URL nowhere.
func (a *attempt) checkSecret() {
	if strings.Contains(a.stdout+a.stderr, secret) {
		a.fall("it says the password")
	}
	_ = filepath.WalkDir(a.out(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), secret) {
			a.fall("%s holds the password", entry.Name())
		}
		return nil
	})
}

// checkProcesses wants no process of the program's to live on.
func (a *attempt) checkProcesses() {
	left := func() (pids []int) {
		folders, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, folder := range folders {
			if text, err := os.ReadFile(folder); err == nil && slices.Contains(strings.Split(string(text), "\x00"), a.marker) {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
				pids = append(pids, pid)
			}
		}
		return pids
	}
	if !soon(func() bool { return len(left()) == 0 }) {
		a.fall("processes %v live on", left())
	}
}

// checkBroker wants nothing of this run on the broker; or, where the broker could
// not be asked, a word of what was left.
func (a *attempt) checkBroker() {
	if a.broker.name == "" || a.row.spoils {
		return
	}
	var left []string
	if soon(func() bool { left = a.broker.leftOvers(a); return len(left) == 0 }) || a.row.killed {
		return
	}
	if !a.row.leaves {
		a.fall("left on the broker: %v", left)
		return
	}
	if said := a.stdout + a.stderr; !strings.Contains(said, left[0]) && !strings.Contains(said, "brokerbench clean") {
		a.fall("left on the broker without a word: %v", left)
	}
}

// soon polls for what other processes need a moment for.
func soon(condition func() bool) bool { return within(4*time.Second, condition) }

func within(d time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(d); !condition(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

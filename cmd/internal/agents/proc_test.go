//go:build unix

package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/agents/control"
)

// listening returns the sockets on which a process listens.
func listening(pid int) (ports []string) {
	var inodes []string
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, file := range files {
		if to, _ := os.Readlink(file); strings.HasPrefix(to, "socket:[") {
			inodes = append(inodes, strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]"))
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		for line := range strings.Lines(string(text)) {
			const listens = "0A"
			if fields := strings.Fields(line); len(fields) > 9 && fields[3] == listens && slices.Contains(inodes, fields[9]) {
				ports = append(ports, fields[1])
			}
		}
	}
	return ports
}

// secrets returns those of the run whose state is below a folder.
func secrets(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "state", "brokerbench", "*", "state.json"))
	for _, file := range files {
		var state struct {
			Secrets control.Secrets `json:"secrets"`
		}
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &state)
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s may be read by %v, %v", file, info.Mode(), err)
		}
		list = append(list, state.Secrets.Coordinator.Secret)
		for _, a := range state.Secrets.Agents {
			list = append(list, a.Secret)
		}
	}
	return list
}

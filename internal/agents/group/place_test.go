//go:build unix

package group

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/agents/control"
)

// A thousand hosts are not copied to at once. Each copy notes how many there are while it lasts.
func TestFewHostsAreInstalledAtOnce(t *testing.T) {
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ntouch %[1]s/now.$$; ls %[1]s | grep -c ^now >>%[1]s/counts; sleep 0.05; rm %[1]s/now.$$; echo no such host >&2; exit 255\n", dir)
	ssh := filepath.Join(dir, "ssh")
	if err := os.WriteFile(ssh, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	var where Placement
	for i := range 60 {
		where.Hosts = append(where.Hosts, fmt.Sprintf("vm%d", i))
	}
	where.N = len(where.Hosts)
	secrets, err := control.NewSecrets(where.names())
	if err != nil {
		t.Fatal(err)
	}
	g := &Group{where: where, state: &State{Secrets: secrets}, env: Env{Variable: func(string) string { return ssh }}}
	if err := g.placeSSH(t.Context()); err == nil || strings.Count(err.Error(), "no such host") != where.N {
		t.Errorf("%v", err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "counts"))
	counts := strings.Fields(string(text))
	most := 0
	for _, n := range counts {
		var at int
		_, _ = fmt.Sscan(n, &at)
		most = max(most, at)
	}
	if len(counts) != where.N || most < 2 || most > mostInstalls {
		t.Errorf("%d copies, %d at once; want %d, and %d at most", len(counts), most, where.N, mostInstalls)
	}
}

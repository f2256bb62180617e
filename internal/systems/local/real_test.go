//go:build linux

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/systems/guardian"
	"github.com/brokerbench/brokerbench/internal/systems/guardian/guardiantest"
	"github.com/brokerbench/brokerbench/internal/systems/nodes"
)

// TestMain lets this test binary be the guardian.
func TestMain(m *testing.M) {
	if isGuardian, err := guardian.Serve(os.Args[1:], os.Stdin, os.Stdout); isGuardian {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	m.Run()
}

// prepared prepares a target, or skips the test if the machine lacks what it needs.
func prepared(t *testing.T, g *guardian.Guardian, url string, fronted bool) *Prepared {
	t.Helper()
	target, err := Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Guardian: g, Fronted: fronted}
	if target.Name == "nats" {
		o.NATS = []string{natsServerOf(t)}
	}
	p, err := Prepare(t.Context(), target, o)
	if err != nil && strings.Contains(err.Error(), "is missing") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// natsServerOf builds the NATS server that this module requires.
func natsServerOf(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "nats-server")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

func TestPrepare(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	g := guardiantest.Start(t)
	p := prepared(t, g, "local:redis,nodes=3?stream=read", true)
	if len(p.System.Nodes) != 3 || len(p.System.Formed) == 0 {
		t.Fatalf("%+v", p.System)
	}
	var sentinels []string
	for _, h := range p.System.Helpers {
		sentinels = append(sentinels, h.Address)
	}
	if len(sentinels) != 3 || p.URL != "redis+sentinel://"+strings.Join(sentinels, ",")+"/mymaster?stream=read" {
		t.Errorf("the URL is %s", p.URL)
	}
	for i, n := range p.System.Nodes {
		if n.Name != fmt.Sprint(i+1) || n.Fronts[n.Address] == "" || n.Fronts[n.Address] == n.Address || !strings.HasPrefix(n.Data, p.Dir) || len(n.Ready) == 0 {
			t.Errorf("%+v", n)
		}
		if _, err := os.Stat(filepath.Join(n.Dir, "redis.conf")); err != nil {
			t.Error(err)
		}
	}
	if err := p.System.Validate(); err != nil {
		t.Error(err)
	}
	_, port, _ := strings.Cut(p.System.Nodes[0].Address, ":")
	reservation := filepath.Join("/tmp/brokerbench-ports", port)
	if _, err := os.Stat(reservation); err != nil {
		t.Error(err)
	}
	if err := p.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(reservation); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the port is still reserved: %v", err)
	}
	if _, err := os.Stat(p.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestPrepareSaysWhatIsMissing(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	few := t.TempDir()
	for _, tool := range strings.Fields("bash env sh realpath dirname mkdir chmod ls flock cat rm seq openssl mv grep sed head touch uname sort id cut tail cp tr base64 od") {
		if path, err := exec.LookPath(tool); err == nil {
			_ = os.Symlink(path, filepath.Join(few, tool))
		}
	}
	t.Setenv("PATH", few)
	_, err := Prepare(t.Context(), Target{Name: "redis", Nodes: 1}, Options{Guardian: guardiantest.Start(t)})
	if err == nil || err.Error() != "preparing local:redis: redis-server is missing: install redis-server" {
		t.Errorf("got %v", err)
	}
}

func TestPrepareEndsWithItsContext(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Prepare(ctx, Target{Name: "redis", Nodes: 3}, Options{Guardian: guardiantest.Start(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Each broker with one node and with three does what nodes do. With all of them it takes minutes,
// so that most are for make test-servers.
func TestEveryBroker(t *testing.T) {
	all := os.Getenv("BROKERBENCH_TEST_SYSTEMS") != ""
	for _, name := range Names() {
		for _, how := range []string{"nodes=1", "nodes=3"} {
			if _, err := Parse("local:" + name + "," + how); err != nil {
				continue // it is not provided
			}
			t.Run(name+","+how, func(t *testing.T) {
				quick := name == "mqtt" || how == "nodes=3" && (name == "nats" || name == "redis" || name == "redis-cluster")
				if !all && !quick {
					t.Skip("BROKERBENCH_TEST_SYSTEMS is not set")
				}
				lives(t, "local:"+name+","+how)
			})
		}
	}
}

// lives starts a target, and does to it what is done to nodes.
func lives(t *testing.T, url string) {
	t.Helper()
	g := guardiantest.Start(t)
	p := prepared(t, g, url, false)
	s, err := nodes.New(p.System, nodes.Options{Guardian: g, Throwaway: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), p.Remove()); err != nil {
			t.Error(err)
		}
	})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	live(t, s)
}

// live does everything to the last node that is done to nodes.
func live(t *testing.T, s *nodes.System) {
	t.Helper()
	n, ctx := s.Nodes[len(s.Nodes)-1], t.Context()
	for _, action := range []struct {
		name string
		do   func(context.Context) error
		runs bool
	}{{"kill", n.Kill, false}, {"start", n.Start, true}, {"pause", n.Pause, true}, {"resume", n.Resume, true}, {"stop", n.Stop, false}, {"start", n.Start, true}} {
		begin := time.Now()
		if err := action.do(ctx); err != nil || len(n.PIDs()) > 0 != action.runs {
			t.Fatalf("%s: %v, processes %v", action.name, err, n.PIDs())
		}
		t.Logf("%s took %v", action.name, time.Since(begin).Round(time.Millisecond))
	}
	if err := s.Start(ctx); err != nil { // it is a cluster again
		t.Error(err)
	}
}

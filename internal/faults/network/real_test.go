//go:build linux

package network

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/poll"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/internal/systems/guardian"
)

// What this test binary does as another process.
const (
	listens = "listen-and-say-hello"
	dials   = "dial-and-hear-hello"
	holds   = "make-a-network-and-wait-to-be-killed"
)

const hello = "hello\n"

// listener is where machines listen.
const listener = "4000"

func TestMain(m *testing.M) {
	isChild, err := guardian.Serve(os.Args[1:], os.Stdin, os.Stdout)
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case listens:
			isChild, err = true, listen(os.Args[2])
		case dials:
			isChild, err = true, dial(os.Args[2], 2*time.Second)
		case holds:
			isChild, err = true, hold()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // it is main here
	}
	if !isChild {
		m.Run()
	}
}

func listen(address string) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		_, _ = c.Write([]byte(hello))
		_ = c.Close()
	}
}

func dial(address string, patience time.Duration) error {
	c, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, err = bufio.NewReader(c).ReadString('\n')
	return err
}

// hold makes a network with a process in it, and prints what it is called.
func hold() error {
	g, err := guardian.Start()
	if err != nil {
		return err
	}
	w, err := Make(context.Background(), g.OnExit, 2)
	if err != nil {
		return err
	}
	if _, err := g.Run(guardian.Command{Args: w.in(0, "sleep", "600")}); err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, w.hub)
	select {}
}

// in returns the words that run a command on a machine.
func (w *Network) in(machine int, args ...string) []string {
	return append([]string{"nsenter", "--net=/run/netns/" + w.Machines[machine].Namespace, "--"}, args...)
}

// made makes a network, or skips the test, loudly, where that is not possible.
func made(t *testing.T, g *guardian.Guardian, n int) *Network {
	t.Helper()
	needs(t)
	w, err := Make(t.Context(), g.OnExit, n)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func needs(t *testing.T) {
	t.Helper()
	if err := Check(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	probe := fmt.Sprintf("brokerbench-probe-%d", os.Getpid())
	if err := exec.CommandContext(t.Context(), "ip", "netns", "add", probe).Run(); err != nil {
		t.Skipf("NOT TESTED: this machine makes no network namespaces: %v", err)
	}
	_ = exec.CommandContext(t.Context(), "ip", "netns", "del", probe).Run()
}

func started(t *testing.T) *guardian.Guardian {
	t.Helper()
	g, err := guardian.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// left returns what there is of a network.
func left(hub, link string) (found []string) {
	all, _ := os.ReadDir("/run/netns")
	for _, one := range all {
		if strings.HasPrefix(one.Name(), hub) {
			found = append(found, one.Name())
		}
	}
	if _, err := net.InterfaceByName(link); err == nil && link != "" {
		found = append(found, link)
	}
	return found
}

// linkOf returns this machine's link to a network.
func linkOf(w *Network) string {
	parts := strings.Split(w.Host, ".")
	return "bb-" + strings.Join(parts[:3], "-")
}

// Who is cut off sees nobody and is seen by nobody, neither from here nor from another machine;
// who is mute is heard by nobody. Then all is whole again, and in the end nothing is left.
func TestAPartition(t *testing.T) {
	g := started(t)
	w := made(t, g, 2)
	one := net.JoinHostPort(w.Machines[0].Address, listener)
	if _, err := g.Run(guardian.Command{Args: w.in(0, os.Args[0], listens, one)}); err != nil {
		t.Fatal(err)
	}
	reached := func() (here, there, itself bool) {
		here = dial(one, 2*time.Second) == nil
		there = exec.CommandContext(t.Context(), "sh", append([]string{"-c", `exec "$@"`, "sh"}, w.in(1, os.Args[0], dials, one)...)...).Run() == nil
		itself = exec.CommandContext(t.Context(), "sh", append([]string{"-c", `exec "$@"`, "sh"}, w.in(0, os.Args[0], dials, one)...)...).Run() == nil
		return here, there, itself
	}
	for up := false; !up; up, _, _ = reached() {
		if t.Context().Err() != nil {
			t.Fatal("it never listens")
		}
	}
	for _, c := range []struct {
		state relay.State
		open  bool
	}{
		{relay.State{}, true},
		{relay.State{Deaf: true, Mute: true}, false},
		{relay.State{Mute: true}, false},
		{relay.State{}, true},
		{relay.State{Throttle: 1 << 20}, true},
		{relay.State{}, true},
	} {
		if err := w.Set(0, c.state); err != nil {
			t.Fatal(err)
		}
		if here, there, itself := reached(); here != c.open || there != c.open || !itself {
			t.Errorf("%+v: from here %v, from another machine %v, from itself %v", c.state, here, there, itself)
		}
	}
	if err := g.Close(); err != nil || len(left(w.hub, linkOf(w))) > 0 {
		t.Errorf("%v; left: %v", err, left(w.hub, linkOf(w)))
	}
}

func TestTwoNetworksAtOnce(t *testing.T) {
	g := started(t)
	a, b := made(t, g, 1), made(t, g, 1)
	if a.Host == b.Host || a.Machines[0] == b.Machines[0] {
		t.Errorf("%+v and %+v", a.Machines, b.Machines)
	}
	for _, w := range []*Network{a, b} {
		if err := w.Remove(); err != nil {
			t.Error(err)
		}
		if found := left(w.hub, linkOf(w)); len(found) > 0 {
			t.Errorf("left: %v", found)
		}
	}
}

// Also who is killed leaves nothing behind.
func TestNothingIsLeftAfterAKill(t *testing.T) {
	needs(t)
	parent := exec.CommandContext(t.Context(), os.Args[0], holds, "")
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	hub, _ := bufio.NewReader(out).ReadString('\n')
	if hub = strings.TrimSpace(hub); hub == "" || len(left(hub, "")) != 3 {
		t.Fatalf("%q: %v", hub, left(hub, ""))
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	poll.Until(t, 30*time.Second, func() bool { return len(left(hub, "")) == 0 }, "left: %v", left(hub, ""))
}

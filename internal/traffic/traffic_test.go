//go:build linux

package traffic

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/process"
)

// self is this process, as a node.
func self(t *testing.T) [][]process.ID {
	t.Helper()
	id, ok := process.Find(os.Getpid())
	if !ok {
		t.Fatal("this process cannot be seen")
	}
	return [][]process.ID{{id}}
}

// pair connects this process with itself: it listens at one address, and dials another one.
func pair(t testing.TB, listen, dial string) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(listen, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if a, err = net.Dial("tcp", net.JoinHostPort(dial, port)); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

// carry sends so many bytes from one end to the other, and waits until all are acknowledged: the
// kernel may take its time for that.
func carry(t testing.TB, from, to net.Conn, n int) {
	t.Helper()
	go func() { _, _ = from.Write(make([]byte, n)) }()
	if _, err := io.ReadFull(to, make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := settled(from); err != nil {
		t.Fatal(err)
	}
}

// settled waits until the other end has acknowledged everything that was written.
func settled(c net.Conn) error {
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	if failed := raw.Control(func(fd uintptr) { err = acknowledged(int(fd)) }); failed != nil {
		return failed
	}
	return err
}

func acknowledged(fd int) error {
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		left, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
		if err != nil || left == 0 {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("%d B are not acknowledged", left)
		}
	}
}

func noRest() {}

// carried returns what the first node has carried, which must be known.
func carried(t *testing.T, w *Watch, nodes [][]process.ID) Bytes {
	t.Helper()
	got := w.Count(nodes, noRest)[0]
	if got == nil {
		t.Fatal("not known")
	}
	return *got
}

func near(got Bytes, n int64) bool {
	return got.Sent >= n && got.Sent <= n+8 && got.Received >= n && got.Received <= n+8 // ends of connections count, too
}

// What went over a connection before the first call does not count; what went later does, over
// either family, both ways.
func TestBytesOfAConnection(t *testing.T) {
	for _, address := range [][2]string{{"127.0.0.1", "127.0.0.1"}, {"::1", "::1"}, {"::", "127.0.0.1"}} {
		var w Watch
		nodes := self(t)
		a, b := pair(t, address[0], address[1])
		carry(t, a, b, 5000)
		carried(t, &w, nodes)
		if got := carried(t, &w, nodes); got != (Bytes{}) {
			t.Errorf("%s: nothing was carried, %+v is counted", address, got)
		}
		carry(t, a, b, 100_000)
		carry(t, b, a, 1)
		if got := carried(t, &w, nodes); !near(got, 100_001) {
			t.Errorf("%s: %+v, want 100,001 both ways", address, got)
		}
	}
}

// A connection that began later is found, in ten calls at most, and counts from its beginning.
func TestAConnectionThatBeginsLater(t *testing.T) {
	var w Watch
	nodes := self(t)
	carried(t, &w, nodes)
	a, b := pair(t, "127.0.0.1", "127.0.0.1")
	carry(t, a, b, 30_000)
	var sum Bytes
	for range perLook {
		got := carried(t, &w, nodes)
		sum.Sent, sum.Received = sum.Sent+got.Sent, sum.Received+got.Received
	}
	if !near(sum, 30_000) {
		t.Errorf("%+v, want 30,000", sum)
	}
}

// One that replaces another one is found by the next two calls: after an end there may be a
// beginning. What is not there any more is forgotten.
func TestAConnectionThatReplacesAnother(t *testing.T) {
	var w Watch
	nodes := self(t)
	a, b := pair(t, "127.0.0.1", "127.0.0.1")
	carried(t, &w, nodes)
	a.Close()
	b.Close()
	carried(t, &w, nodes)
	if n := len(w.nodes[0].open); n != 0 {
		t.Errorf("%d connections are followed, none is open", n)
	}
	a, b = pair(t, "127.0.0.1", "127.0.0.1")
	carry(t, a, b, 7000)
	if got := carried(t, &w, nodes); !near(got, 7000) {
		t.Errorf("%+v, want 7,000", got)
	}
}

// Sockets of others do not count.
func TestAnotherProcessHasItsOwn(t *testing.T) {
	var w Watch
	a, b := pair(t, "127.0.0.1", "127.0.0.1")
	init, _ := process.Find(1)
	nodes := [][]process.ID{{init}, self(t)[0], nil}
	w.Count(nodes, noRest)
	carry(t, a, b, 50_000)
	got := w.Count(nodes, noRest)
	if got[1] == nil || !near(*got[1], 50_000) {
		t.Errorf("this process: %+v, want 50,000", got[1])
	}
	if got[0] != nil && got[0].Sent >= 50_000 {
		t.Errorf("the first process: %+v", got[0])
	}
	if got[2] == nil || *got[2] != (Bytes{}) {
		t.Errorf("a node without processes: %+v", got[2])
	}
}

// In a namespace of its own a process's connections are seen by who may enter it.
func TestAProcessInAnotherNamespace(t *testing.T) {
	id, goOn := inNamespaceOfItsOwn(t)
	nodes := [][]process.ID{{id}}
	var w Watch
	carried(t, &w, nodes)
	goOn()
	if got := carried(t, &w, nodes); !near(got, 40_000) {
		t.Errorf("%+v, want 40,000", got)
	}
	before, _ := os.Readlink(ownNamespace)
	for range 20 {
		w.Count(nodes, noRest)
		if now, _ := os.Readlink(ownNamespace); now != before {
			t.Fatalf("this thread is in %s now, and was in %s", now, before)
		}
	}
}

const helper = "BROKERBENCH_TRAFFIC_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helper) == "" {
		m.Run()
		return
	}
	if err := exec.Command("ip", "link", "set", "lo", "up").Run(); err != nil {
		panic(err)
	}
	help()
}

// help carries something over a connection to itself, when it is told to.
func help() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	a, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	b, err := l.Accept()
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stdout, "ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Fprintln(os.Stdout, "done") {
		_, _ = a.Write(make([]byte, 40_000))
		_, _ = io.ReadFull(b, make([]byte, 40_000))
		if err := settled(a); err != nil {
			panic(err)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	id, _ := process.Find(os.Getpid())
	for range 20 {
		pair(b, "127.0.0.1", "127.0.0.1")
	}
	for name, calls := range map[string]int{"steady": 1, "look": 0} {
		b.Run(name, func(b *testing.B) {
			var w Watch
			w.Count([][]process.ID{{id}}, noRest)
			for b.Loop() {
				w.calls = calls
				w.Count([][]process.ID{{id}}, noRest)
			}
		})
	}
}

//go:build linux

package traffic

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/process"
)

// withoutFiles calls f while this process can open nothing.
func withoutFiles(t *testing.T, f func()) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	set := func(limit unix.Rlimit) {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
	}
	set(unix.Rlimit{Cur: 3, Max: before.Max})
	defer set(before)
	f()
}

// When this process has no file descriptor left for a call, with a look or without one, nothing
// is known of it. The next call only begins, and what was counted before is not counted again.
func TestWhatIsNotKnownForAWhileIsNotCountedTwice(t *testing.T) {
	for name, calm := range map[string]int{"asking": perLook, "looking": 0} {
		t.Run(name, func(t *testing.T) {
			var w Watch
			nodes := self(t)
			a, b := pair(t, "127.0.0.1", "127.0.0.1")
			carry(t, a, b, 50_000)
			carried(t, &w, nodes)
			w.calm = calm
			withoutFiles(t, func() {
				if got := w.Count(nodes, noRest)[0]; got != nil {
					t.Errorf("%+v, and nothing could be asked", *got)
				}
			})
			carry(t, a, b, 20_000)
			if got := w.Count(nodes, noRest)[0]; got != nil {
				t.Errorf("%+v, and when it began is not known", *got)
			}
			carried(t, &w, nodes)
			carry(t, a, b, 1000)
			if got := carried(t, &w, nodes); !near(got, 1000) {
				t.Errorf("%+v, want 1,000", got)
			}
		})
	}
}

// A node that could not be seen at first begins when it can be.
func TestWhatIsNotKnownAtFirst(t *testing.T) {
	var w Watch
	nodes := self(t)
	a, b := pair(t, "127.0.0.1", "127.0.0.1")
	carry(t, a, b, 50_000)
	withoutFiles(t, func() { w.Count(nodes, noRest) })
	for range 2 * perLook {
		if got := w.Count(nodes, noRest)[0]; got != nil && *got != (Bytes{}) {
			t.Fatalf("%+v was carried before it could be seen", *got)
		}
	}
	carry(t, a, b, 1000)
	if got := carried(t, &w, nodes); !near(got, 1000) {
		t.Errorf("%+v, want 1,000", got)
	}
}

// A node of which no process is found for a while has carried nothing then, and nothing twice.
func TestANodeThatSeemsToBeGone(t *testing.T) {
	var w Watch
	nodes := self(t)
	a, b := pair(t, "127.0.0.1", "127.0.0.1")
	carried(t, &w, nodes)
	carry(t, a, b, 50_000)
	carried(t, &w, nodes)
	carry(t, a, b, 1000)
	if got := carried(t, &w, [][]process.ID{nil}); got != (Bytes{}) {
		t.Errorf("%+v without a process", got)
	}
	carry(t, a, b, 2000)
	if got := carried(t, &w, nodes); !near(got, 2000) {
		t.Errorf("%+v, want 2,000", got)
	}
}

// While a file descriptor is on its way from one process of a node to another one, none has it.
// The connection is not a new one when it arrives.
func TestAConnectionThatIsPassedOnIsNotNew(t *testing.T) {
	var w Watch
	nodes := self(t)
	a, b := pair(t, "127.0.0.1", "127.0.0.1")
	carry(t, a, b, 50_000)
	carried(t, &w, nodes)
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	f, err := a.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Sendmsg(ends[0], []byte{1}, unix.UnixRights(int(f.Fd())), nil, 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	a.Close()
	w.calm = 0
	carried(t, &w, nodes)
	rights := make([]byte, 64)
	_, n, _, _, err := unix.Recvmsg(ends[1], make([]byte, 1), rights, 0)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil {
		t.Fatal(err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	if _, err := unix.Write(fds[0], make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(b, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := acknowledged(fds[0]); err != nil {
		t.Fatal(err)
	}
	w.calm = 0
	if got := carried(t, &w, nodes); !near(got, 1000) {
		t.Errorf("%+v, want 1,000", got)
	}
}

// What one node has counted another one does not count again.
func TestAConnectionThatAnotherNodeTakes(t *testing.T) {
	var w Watch
	one, other := [][]process.ID{self(t)[0], nil}, [][]process.ID{nil, self(t)[0]}
	a, b := pair(t, "127.0.0.1", "127.0.0.1")
	carried(t, &w, one)
	carry(t, a, b, 50_000)
	carried(t, &w, one)
	carry(t, a, b, 1000)
	got := w.Count(other, noRest)
	if *got[0] != (Bytes{}) || !near(*got[1], 1000) {
		t.Errorf("%+v and %+v, want nothing and 1,000", *got[0], *got[1])
	}
}

// The connections of a namespace are those of all its processes, whichever of them ends first.
func TestANamespaceOutlivesAProcess(t *testing.T) {
	id, goOn := inNamespaceOfItsOwn(t)
	c := exec.Command("nsenter", "--net=/proc/"+strconv.Itoa(id.PID)+"/ns/net", "cat")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Skip("NOT TESTED:", err)
	}
	fmt.Fprintln(in, "there?")
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	first, _ := process.Find(c.Process.Pid)
	nodes := [][]process.ID{{first}, {id}}
	var w Watch
	carried(t, &w, nodes)
	goOn()
	carried(t, &w, nodes)
	in.Close()
	_ = c.Wait()
	for range perLook {
		if got := w.Count(nodes, noRest); got[1] == nil || *got[1] != (Bytes{}) {
			t.Fatalf("%+v, and nothing was carried", got[1])
		}
	}
	goOn()
	if got := w.Count(nodes, noRest)[1]; got == nil || !near(*got, 40_000) {
		t.Errorf("%+v, want 40,000", got)
	}
}

// inNamespaceOfItsOwn starts a process in a network namespace of its own, and returns what makes
// it carry 40,000 bytes.
func inNamespaceOfItsOwn(t *testing.T) (id process.ID, goOn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root makes network namespaces")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("unshare", "--net", "--", self, "-test.run=^$")
	c.Env = append(os.Environ(), helper+"=1")
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = c.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Skip("NOT TESTED: this machine makes no network namespaces")
	}
	id, _ = process.Find(c.Process.Pid)
	return id, func() {
		t.Helper()
		fmt.Fprintln(in, "go on")
		if !lines.Scan() {
			t.Fatal("it ended")
		}
	}
}

// Work that grows with the number of connections is done in pieces, also if all have ended.
func TestRestsAmongManyConnections(t *testing.T) {
	const many = 20 * perRest
	n := node{open: make(map[socketID]connection)}
	for i := range many {
		var id socketID
		binary.NativeEndian.PutUint64(id[40:], uint64(1<<40+i))
		own, _ := os.Readlink(ownNamespace)
		n.open[id] = connection{family: unix.AF_INET, id: id, place: own}
	}
	here := make(dialled)
	defer here.close()
	var w Watch
	rests := 0
	if _, err := w.count(&n, here, func() { rests++ }); err != nil {
		t.Fatal(err)
	}
	if len(n.open) != 0 || rests < many/perRest {
		t.Errorf("%d are followed, %d rests", len(n.open), rests)
	}
}

// A process with many file descriptors is read in pieces.
func TestRestsAmongManyFiles(t *testing.T) {
	const many = 5 * perRest
	for range many {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	rests := func() (n int) {
		var w Watch
		w.Count(self(t), func() { n++ })
		return n
	}
	if n := rests(); n < many/perRest {
		t.Errorf("%d rests among %d file descriptors", n, many)
	}
}

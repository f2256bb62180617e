package sample

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// TCP probes a receiver that does not read, and nothing is lost.
func TestAReceiverThatDoesNotReadLosesNothing(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	receiver, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = receiver.Close() }()
	read := make(chan struct{}, 1) // a token: the receiver reads until it is taken
	read <- struct{}{}
	go func() {
		b := make([]byte, 1<<16)
		for {
			token := <-read
			read <- token
			if _, err := receiver.Read(b); err != nil {
				return
			}
		}
	}()
	message, probes := make([]byte, 1100), uint32(0)
	s := sampled(t, process.Node{}, func() {
		for range 3 {
			for i := range 100 {
				switch i {
				case 20:
					<-read
				case 90:
					read <- struct{}{}
				}
				if _, err := conn.Write(message); err != nil {
					t.Error(err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		probes = retransmitted(t, conn)
	})
	if probes < 3 {
		t.Skipf("TCP sent %d probes", probes)
	}
	// What is read once stands in as many samples as pass between two readings. An answer may be late on a busy machine.
	lost := sum(seriesOf(t, s, cause.Retransmit, cause.Client).Value) / coarse
	if lost > int64(probes/2) {
		t.Errorf("%d segments lost, want none: TCP sent %d probes", lost, probes)
	}
}

// retransmitted returns how many segments a connection sent again.
func retransmitted(t *testing.T, conn net.Conn) (n uint32) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
			if err != nil {
				t.Error(err)
				return
			}
			n = info.Total_retrans
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// opened opens the two files of a namespace.
func opened(t *testing.T, snmp, netstat string) *segments {
	t.Helper()
	f, err := openFile(snmp)
	if err != nil {
		t.Fatal(err)
	}
	g := &segments{file: f}
	g.openDuplicates(netstat)
	t.Cleanup(g.close)
	return g
}

// Of the segments of a namespace, those count that the receiver did not have. A probe whose answer is under way counts once,
// and each lost segment of a burst counts.
func TestSegmentsThatTheReceiverHad(t *testing.T) {
	dir := t.TempDir()
	snmp, netstat := filepath.Join(dir, "snmp"), filepath.Join(dir, "netstat")
	write := func(sent, had int) {
		err := os.WriteFile(snmp, fmt.Appendf(nil, "Ip: Forwarding\nIp: 1\nTcp: A B C D E F G H I J InSegs RetransSegs\nTcp: 1 200 3 -1 5 6 7 8 9 10 11 %d\n", sent), 0o600)
		if err == nil {
			err = os.WriteFile(netstat, fmt.Appendf(nil, "TcpExt: A TCPDSACKRecv TCPDSACKRecvSegs\nTcpExt: 5 1 %d\nMPTcpExt: A\nMPTcpExt: 9\n", had), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(100, 40)
	g := opened(t, snmp, netstat)
	steps := []struct {
		sent, had int
		want      int64
	}{
		{100, 40, 0}, // where it begins
		{104, 44, 0}, // four probes
		{105, 44, 1}, // one under way
		{105, 45, 0},
		{106, 45, 0}, // another under way
		{106, 46, 0},
		{112, 47, 4}, // a probe, and five lost segments, one of which stood for the probe
		{115, 47, 3},
	}
	var got, want []int64
	for _, step := range steps {
		write(step.sent, step.had)
		lost, ok := g.lost(make([]byte, 500))
		if !ok {
			t.Fatal("the file cannot be read")
		}
		got, want = append(got, lost), append(want, step.want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("lost %v, want %v", got, want)
	}
}

// A kernel that does not count duplicates, or a file that cannot be read, leaves every segment that was sent again.
func TestNoDuplicates(t *testing.T) {
	dir := t.TempDir()
	snmp, netstat := filepath.Join(dir, "snmp"), filepath.Join(dir, "netstat")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, columns := range map[string]string{"unknown": "TcpExt: A B\n", "unreadable": "TcpExt: A TCPDSACKRecv\n"} {
		t.Run(name, func(t *testing.T) {
			write(netstat, columns+"TcpExt: 5 40\n")
			write(snmp, "Ip: 1\nTcp: A\nTcp: 1 1 1 1 1 1 1 1 1 1 1 100\n")
			g := opened(t, snmp, netstat)
			buffer := make([]byte, 500)
			_, _ = g.lost(buffer)
			write(netstat, "")
			write(snmp, "Ip: 1\nTcp: A\nTcp: 1 1 1 1 1 1 1 1 1 1 1 103\n")
			if lost, ok := g.lost(buffer); lost != 3 || !ok {
				t.Errorf("%d lost, %v; want 3", lost, ok)
			}
		})
	}
}

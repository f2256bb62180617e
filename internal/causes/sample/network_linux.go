package sample

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// segments reads how many segments TCP sent again in a network namespace because they were lost. To read the file takes
// longer than the rest of a sample.
//
// A receiver that does not read acknowledges late, and TCP sends a segment again to find out whether it was lost (a tail
// loss probe, RFC 8985). The receiver answers that it had the segment (DSACK, RFC 2883). Such segments do not count: they
// follow from a pause of the receiver, or from a late or lost acknowledgement. The answer takes a round trip, so only what exceeds
// the greatest difference so far counts: a probe that is under way counts by mistake only once, and then stands for the next lost segment.
type segments struct {
	file
	duplicates   file // net/netstat
	column       int  // of the number of duplicates in there, from 0
	series, turn int
	had          int64 // duplicates, when they were read last
	missing      counter
}

// openNetwork makes the sources of the namespaces of this process and of the nodes, and of the sockets of this process.
func (s *Sampler) openNetwork(nodes []process.Node) {
	s.openSegments(cause.Machine, "self", 0)
	ours, err := os.Readlink("/proc/self/ns/net")
	for i, n := range nodes {
		if len(n.IDs) == 0 || err != nil {
			continue
		}
		pid := strconv.Itoa(n.IDs[0].PID)
		theirs, err := os.Readlink(filepath.Join("/proc", pid, "ns/net"))
		switch {
		case errors.Is(err, fs.ErrPermission):
			s.lacks(cause.Retransmit, n.Name, fmt.Sprintf("%v (run as its user or as root)", err))
		case err == nil && theirs != ours:
			s.openSegments(n.Name, pid, i+1)
		}
	}
	own := &sockets{
		rtt:   s.add(cause.RTT, cause.Client, cause.Level, "us"),
		queue: s.add(cause.Queue, cause.Client, cause.Level, "bytes"),
		again: s.add(cause.Retransmit, cause.Client, cause.Count, "segments"),
	}
	own.find()
	s.sources, s.finder.sockets = append(s.sources, own), own
}

func (s *Sampler) openSegments(where, pid string, turn int) {
	f, err := openFile(filepath.Join("/proc", pid, "net/snmp"))
	if err != nil {
		s.lacks(cause.Retransmit, where, err.Error())
		return
	}
	g := &segments{file: f, turn: turn % coarse, series: s.add(cause.Retransmit, where, cause.Count, "segments")}
	g.openDuplicates(filepath.Join("/proc", pid, "net/netstat"))
	s.sources = append(s.sources, g)
}

// openDuplicates opens the file that has the number of duplicates. A kernel without it counts each segment that was sent again.
func (g *segments) openDuplicates(path string) {
	text, _ := os.ReadFile(path)
	names, _, _ := strings.Cut(string(text), "\n")
	columns := strings.Fields(names)
	g.duplicates = file{-1}
	for _, name := range []string{"TCPDSACKRecvSegs", "TCPDSACKRecv"} { // the first since Linux 5.10
		if g.column = slices.Index(columns, name); g.column >= 0 {
			g.duplicates, _ = openFile(path)
			return
		}
	}
}

// snmpRetransmits is the number of RetransSegs in the second line of "Tcp:" in /proc/net/snmp, from 1.
const snmpRetransmits = 12

func (g *segments) read(s *Sampler, n int, _ time.Duration) {
	if n%coarse != g.turn {
		return
	}
	if lost, ok := g.lost(s.buffer[:]); ok {
		s.store.back(g.series, lost, coarse)
	}
}

// lost returns how many more segments were lost than at the last call; 0 the first time. buffer is for the files.
func (g *segments) lost(buffer []byte) (n int64, ok bool) {
	sent, ok := secondLine(g.file.read(buffer), "\nTcp: ", snmpRetransmits-1)
	if !ok {
		return 0, false
	}
	if sent-g.had > g.missing.last || !g.missing.known {
		if had, ok := secondLine(g.duplicates.read(buffer), "TcpExt: ", g.column-1); ok {
			g.had = had
		}
	}
	return g.missing.above(sent - g.had), true
}

func (g *segments) close() {
	g.file.close()
	g.duplicates.close()
}

// secondLine returns number i, from 0, of the second line that has a prefix: the first one has the names.
func secondLine(text []byte, prefix string, i int) (n int64, ok bool) {
	for range 2 {
		at := find(text, prefix)
		if at < 0 {
			return 0, false
		}
		text = text[at+len(prefix):]
	}
	return field(text, i), true
}

// sockets reads the connections of this process.
type sockets struct {
	rtt, queue, again int // series
	fds               []int
	next              atomic.Pointer[[]int]
	at                int
	sent              map[int]resent // by socket
}

// A resent has the segments that a connection sent again: all, and those that the peer did not have (see segments).
type resent struct {
	all     int64
	missing counter
}

// mostSockets is how many connections are read at a time: the others have their turn next.
const mostSockets = 16

// find finds the connections.
func (k *sockets) find() {
	entries, _ := os.ReadDir("/proc/self/fd")
	var fds []int
	for _, e := range entries {
		fd, _ := strconv.Atoi(e.Name())
		if info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO); err == nil && info.State == tcpEstablished {
			fds = append(fds, fd)
		}
	}
	k.next.Store(&fds)
}

const tcpEstablished = 1

func (k *sockets) read(s *Sampler, n int, _ time.Duration) {
	if list := k.next.Swap(nil); list != nil {
		k.fds, k.at, k.sent = *list, 0, make(map[int]resent, len(*list))
	}
	if n%coarse != 3 {
		return
	}
	var rtt, queue, again int64
	for range min(mostSockets, len(k.fds)) {
		fd := k.fds[k.at%len(k.fds)]
		k.at++
		info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil || info.State != tcpEstablished {
			continue
		}
		unread, _ := unix.IoctlGetInt(fd, unix.SIOCINQ)
		rtt, queue = max(rtt, int64(info.Rtt)), max(queue, int64(info.Notsent_bytes)+int64(unread))
		one, all := k.sent[fd], int64(info.Total_retrans)
		if all < one.all { // it is another connection
			one = resent{}
		}
		again += one.missing.above(all - int64(info.Dsack_dups))
		one.all = all
		k.sent[fd] = one
	}
	s.store.back(k.rtt, rtt, coarse)
	s.store.back(k.queue, queue, coarse)
	s.store.back(k.again, again, coarse)
}

func (*sockets) close() {}

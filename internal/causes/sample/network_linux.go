package sample

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// segments reads how many segments TCP sent again in a network namespace. To read the file takes longer than the rest
// of a sample.
type segments struct {
	file
	series, turn int
	again        counter
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
	s.sources = append(s.sources, &segments{file: f, turn: turn % coarse, series: s.add(cause.Retransmit, where, cause.Count, "segments")})
}

// snmpRetransmits is the number of RetransSegs in the second line of "Tcp:" in /proc/net/snmp, from 1.
const snmpRetransmits = 12

func (g *segments) read(s *Sampler, n int, _ time.Duration) {
	if n%coarse != g.turn {
		return
	}
	text := g.file.read(s.buffer[:])
	for range 2 { // the names, then the values
		i := find(text, "\nTcp: ")
		if i < 0 {
			return
		}
		text = text[i+len("\nTcp: "):]
	}
	s.store.back(g.series, g.again.grown(field(text, snmpRetransmits-1)), coarse)
}

// sockets reads the connections of this process.
type sockets struct {
	rtt, queue, again int // series
	fds               []int
	next              atomic.Pointer[[]int]
	at                int
	sent              map[int]int64 // again, by socket
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
		k.fds, k.at, k.sent = *list, 0, make(map[int]int64, len(*list))
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
		if before, known := k.sent[fd]; known {
			again += max(0, int64(info.Total_retrans)-before)
		}
		k.sent[fd] = int64(info.Total_retrans)
	}
	s.store.back(k.rtt, rtt, coarse)
	s.store.back(k.queue, queue, coarse)
	s.store.back(k.again, again, coarse)
}

func (*sockets) close() {}

//go:build linux

package witness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A flow is a direction of a connection: addresses and ports of both ends.
type flow struct{ from, to [6]byte }

func (f flow) back() flow { return flow{f.to, f.from} }

const network = unix.ETH_P_IP<<8 | unix.ETH_P_IP>>8 // big-endian

// capture opens a socket that receives all packets of the loopback interface, with times.
func capture() (socket int, err error) {
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		return 0, err
	}
	if socket, err = unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, network&0xffff); err != nil {
		return 0, fmt.Errorf("witness: opening a packet socket: %w", err)
	}
	wait := unix.Timeval{Usec: 200_000}
	err = errors.Join(
		unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 256<<20),
		unix.SetsockoptInt(socket, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1), // each comes in once more
		unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
		unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait),
		unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: network & 0xffff, Ifindex: lo.Index}),
	)
	if err != nil {
		_ = unix.Close(socket)
		return 0, fmt.Errorf("witness: packet socket: %w", err)
	}
	return socket, nil
}

// read reads packets until the time at which Stop was called.
func (w *Witness) read() error {
	defer func() { _ = unix.Close(w.socket) }()
	packet, control := make([]byte, 1<<17), make([]byte, 256)
	for {
		n, m, _, _, err := unix.Recvmsg(w.socket, packet, control, 0)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil && !errors.Is(err, unix.EAGAIN):
			return fmt.Errorf("witness: reading packets: %w", err)
		default:
			at := time.Now() // nothing arrived for a while
			if err == nil {
				at = when(control[:m])
			}
			select {
			case until := <-w.stop:
				w.until = until
			default:
			}
			if !w.until.IsZero() && at.After(w.until) {
				return w.dropped()
			}
			if err == nil {
				w.packet(packet[:n], at)
			}
		}
	}
}

// dropped returns an error if the kernel dropped packets.
func (w *Witness) dropped() error {
	statistics, err := unix.GetsockoptTpacketStats(w.socket, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return fmt.Errorf("witness: counting dropped packets: %w", err)
	}
	if statistics.Drops > 0 {
		return fmt.Errorf("witness: %d packets of %d were dropped", statistics.Drops, statistics.Packets)
	}
	return nil
}

// when returns the time at which the kernel received a packet.
func when(control []byte) time.Time {
	messages, _ := unix.ParseSocketControlMessage(control)
	for _, m := range messages {
		if m.Header.Type == unix.SO_TIMESTAMPNS && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return time.Now()
}

// packet takes an IPv4 packet.
func (w *Witness) packet(p []byte, at time.Time) {
	const synchronise, acknowledge = 2, 16
	head := int(p[0]&15) * 4
	if p[9] != unix.IPPROTO_TCP {
		return
	}
	p, ip := p[head:min(len(p), max(head, int(binary.BigEndian.Uint16(p[2:]))))], p
	f := flow{end(ip[12:16], p[0:2]), end(ip[16:20], p[2:4])}
	seq, data, flags := binary.BigEndian.Uint32(p[4:]), p[p[12]>>4*4:], p[13]
	switch {
	case flags&synchronise != 0 && flags&acknowledge == 0:
		w.talks[f] = &talk{w: w, client: stream{next: seq + 1}}
	case flags&synchronise != 0:
		if t := w.talks[f.back()]; t != nil {
			t.server = stream{next: seq + 1}
		}
	case len(data) > 0:
		w.data(f, seq, data, at)
	}
}

// data takes bytes of a connection.
func (w *Witness) data(f flow, seq uint32, data []byte, at time.Time) {
	t, s := w.talks[f], (*stream)(nil)
	if t != nil {
		s = &t.client
	} else if f = f.back(); w.talks[f] != nil {
		t = w.talks[f]
		s = &t.server
	} else { // it is older than the witness
		t = &talk{w: w, known: true, foreign: true}
		w.talks[f] = t
	}
	if t.take(f, s, seq, data, at); t.foreign {
		if t.packets++; t.packets == busy {
			w.ignore(f)
		}
	}
}

// A connection of another program is filtered out after so many packets, and so many at most.
const busy, mostIgnored = 500, 100

// ignore has the kernel keep back the packets of a connection.
func (w *Witness) ignore(f flow) {
	if len(w.ignored) >= mostIgnored {
		w.ignored = w.ignored[1:]
	}
	w.ignored = append(w.ignored, f)
	code := []unix.SockFilter{
		{Code: unix.BPF_LDX | unix.BPF_B | unix.BPF_MSH}, // the length of the IP header
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_IND},  // both ports
	}
	for i, f := range w.ignored {
		from, to := uint32(binary.BigEndian.Uint16(f.from[4:])), uint32(binary.BigEndian.Uint16(f.to[4:]))
		drop := uint8(2 * (len(w.ignored) - i))
		code = append(
			code,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, Jt: drop, K: from<<16 | to},
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, Jt: drop - 1, K: to<<16 | from},
		)
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET, K: 1 << 18}, unix.SockFilter{Code: unix.BPF_RET})
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	w.missed = errors.Join(w.missed, unix.SetsockoptSockFprog(w.socket, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program))
}

func end(address, port []byte) (e [6]byte) {
	copy(e[:], address)
	copy(e[4:], port)
	return e
}

// fresh is how long the kernel's tables are used again.
const fresh = 100 * time.Millisecond

// owner reports whether the process has a socket at this end. known is false if the kernel does not list
// it: its table changes while it is read, and a connection may have ended before.
func (w *Witness) owner(e [6]byte) (ours, known bool) {
	if time.Since(w.listed) > fresh {
		w.list()
		w.listed = time.Now()
	}
	ours, known = w.sockets[e]
	return ours, known
}

// list reads which ends of connections there are, and whether they are sockets of the process.
func (w *Witness) list() {
	files := make(map[string]bool)
	dir := "/proc/" + strconv.Itoa(w.pid) + "/fd/"
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		at, _ := os.Readlink(dir + entry.Name())
		files[at] = true
	}
	w.sockets = make(map[[6]byte]bool)
	table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", w.pid))
	for line := range strings.Lines(string(table)) {
		words := strings.Fields(line)
		if len(words) < 10 || words[9] == "0" {
			continue
		}
		var address uint32 // in the kernel's own byte order
		var port uint16
		if _, err := fmt.Sscanf(words[1], "%08X:%04X", &address, &port); err == nil {
			var e [6]byte
			binary.NativeEndian.PutUint32(e[:], address)
			binary.BigEndian.PutUint16(e[4:], port)
			w.sockets[e] = files["socket:["+words[9]+"]"]
		}
	}
}

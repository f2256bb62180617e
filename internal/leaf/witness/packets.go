//go:build linux

package witness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
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
		unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 1<<30-1),
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

// read reads packets until the time at which Stop was called. Its thread comes before others, as the
// kernel drops packets that wait for too long.
func (w *Witness) read() error {
	runtime.LockOSThread() // it ends with its priority
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, -20)
	defer func() { _ = unix.Close(w.packets) }()
	packet, control := make([]byte, 1<<17), make([]byte, 256)
	for {
		n, m, _, _, err := unix.Recvmsg(w.packets, packet, control, 0)
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
			w.recognise()
		}
	}
}

// dropped returns an error if the kernel dropped packets.
func (w *Witness) dropped() error {
	statistics, err := unix.GetsockoptTpacketStats(w.packets, unix.SOL_PACKET, unix.PACKET_STATISTICS)
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
		w.connect(f, seq+1, at)
	case flags&synchronise != 0:
		if t := w.talks[f.back()]; t != nil {
			t.server = stream{next: seq + 1}
		}
	case len(data) > 0:
		w.data(f, seq, data, at)
	}
}

// connect takes the first packet of a connection, which may be sent again. Its ports may be those of
// one that has ended.
func (w *Witness) connect(f flow, first uint32, at time.Time) {
	if t := w.talks[f]; t != nil && t.first == first {
		return
	} else if t != nil {
		w.settle(f, t)
	}
	t := &talk{w: w, first: first, began: at, client: stream{next: first}}
	w.talks[f], w.unknown[f] = t, t
	if i := slices.IndexFunc(w.ignored, func(old flow) bool { return old == f || old == f.back() }); i >= 0 {
		w.ignored = slices.Delete(w.ignored, i, i+1)
		w.filter()
	}
}

// settle ends a connection. One that ended before the kernel's table was read counts as one of the process:
// connections among nodes last, and messages of other runs are dropped in the end.
func (w *Witness) settle(f flow, t *talk) {
	delete(w.unknown, f)
	if !t.known {
		t.guessed = true
		t.adopt(true)
	}
	w.missed = errors.Join(w.missed, t.gap())
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
	if t.take(segment{s, seq, data, at}); t.foreign {
		if t.packets++; t.packets == busy {
			w.ignore(f)
		}
	}
}

// A connection of another program is filtered out after so many packets, and so many at most.
const busy, mostIgnored = 50, 200

// ignore has the kernel keep back the packets of a connection, but the first of a later one with its ports.
func (w *Witness) ignore(f flow) {
	if len(w.ignored) >= mostIgnored {
		w.ignored = w.ignored[1:]
	}
	w.ignored = append(w.ignored, f)
	w.filter()
}

// filter gives the kernel the connections to ignore.
func (w *Witness) filter() {
	const flags, synchronise = 13, 2
	code := []unix.SockFilter{
		{Code: unix.BPF_LDX | unix.BPF_B | unix.BPF_MSH}, // the length of the IP header
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_IND, K: flags},
		{Code: unix.BPF_JMP | unix.BPF_JSET, K: synchronise, Jf: 1},
		{Code: unix.BPF_RET, K: 1 << 18},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_IND}, // both ports
	}
	for _, f := range w.ignored {
		from, to := uint32(binary.BigEndian.Uint16(f.from[4:])), uint32(binary.BigEndian.Uint16(f.to[4:]))
		code = append(
			code,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, Jt: 1, K: from<<16 | to},
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ, Jf: 1, K: to<<16 | from},
			unix.SockFilter{Code: unix.BPF_RET},
		)
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET, K: 1 << 18})
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	w.missed = errors.Join(w.missed, unix.SetsockoptSockFprog(w.packets, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program))
}

func end(address, port []byte) (e [6]byte) {
	copy(e[:], address)
	copy(e[4:], port)
	return e
}

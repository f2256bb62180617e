package traffic

import (
	"encoding/binary"
	"errors"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A diag asks the kernel for the TCP connections of a network namespace: see sock_diag(7). It
// is used by one goroutine at a time.
type diag struct {
	fd       int
	protocol uint8
	buffer   []byte
}

const (
	idSize        = len(socketID{})
	requestSize   = unix.SizeofNlMsghdr + 8 + idSize // an inet_diag_req_v2 behind its header
	answerSize    = 4 + idSize + 20                  // an inet_diag_msg
	answerTime    = time.Second                      // it comes at once, but nothing here waits for good
	inodeAt       = answerSize - 4
	byFamily      = 20 // SOCK_DIAG_BY_FAMILY
	wantsInfo     = 1 << (infoAttribute - 1)
	infoAttribute = 2 // INET_DIAG_INFO: a tcp_info
)

// open are the states of a connection that may have a process: all but those before both sides
// have agreed on it, and after both have ended it. None of them needs the table of listeners.
const open = 1<<unix.BPF_TCP_ESTABLISHED | 1<<unix.BPF_TCP_FIN_WAIT1 | 1<<unix.BPF_TCP_FIN_WAIT2 | 1<<unix.BPF_TCP_CLOSE_WAIT | 1<<unix.BPF_TCP_LAST_ACK | 1<<unix.BPF_TCP_CLOSING

var (
	errGone  = errors.New("the connection has ended")
	errOld   = errors.New("the kernel counts no bytes of connections: it is older than Linux 4.1")
	errShort = errors.New("the kernel's answer is shorter than it should be")
)

// newDiag opens a socket in the network namespace of the calling thread.
func newDiag() (*diag, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return nil, err
	}
	limit := unix.NsecToTimeval(int64(answerTime))
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &diag{fd: fd, protocol: unix.IPPROTO_TCP, buffer: make([]byte, 1<<14)}, nil
}

func (d *diag) close() { _ = unix.Close(d.fd) }

// each calls f with each connection of a family, and rest after each answer, which has some dozens. The
// kernel walks its whole table for it, which takes some hundred microseconds.
func (d *diag) each(family uint8, rest func(), f func(connection)) error {
	if err := d.send(family, unix.NLM_F_DUMP, socketID{}); err != nil {
		return err
	}
	for {
		answers, err := d.receive()
		if err != nil {
			return err
		}
		for _, m := range answers {
			switch m.Header.Type {
			case unix.NLMSG_DONE:
				return cause(m) // of a kernel that knows no such connections
			case unix.NLMSG_ERROR:
				return cause(m)
			}
			switch c, err := parse(m); {
			case err == nil:
				f(c)
			case !errors.Is(err, errGone):
				return err
			}
		}
		rest()
	}
}

// one returns what a connection has carried now. It takes two microseconds. The error of one that has
// ended is errGone.
func (d *diag) one(c connection) (Bytes, error) {
	if err := d.send(c.family, 0, c.id); err != nil {
		return Bytes{}, err
	}
	answers, err := d.receive()
	if err != nil {
		return Bytes{}, err
	}
	if len(answers) == 0 {
		return Bytes{}, errShort
	}
	now, err := parse(answers[0])
	return now.carried, err
}

func (d *diag) send(family uint8, flags uint16, id socketID) error {
	var request [requestSize]byte
	binary.NativeEndian.PutUint32(request[0:], uint32(requestSize))
	binary.NativeEndian.PutUint16(request[4:], byFamily)
	binary.NativeEndian.PutUint16(request[6:], unix.NLM_F_REQUEST|flags)
	body := request[unix.SizeofNlMsghdr:]
	body[0], body[1], body[2] = family, d.protocol, wantsInfo
	binary.NativeEndian.PutUint32(body[4:], open)
	copy(body[8:], id[:])
	return unix.Sendto(d.fd, request[:], 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
}

func (d *diag) receive() ([]syscall.NetlinkMessage, error) {
	for began := time.Now(); ; {
		n, _, err := unix.Recvfrom(d.fd, d.buffer, 0)
		switch {
		case errors.Is(err, unix.EINTR) && time.Since(began) < answerTime:
			continue // each time it is interrupted the kernel begins to wait anew
		case err != nil:
			return nil, err
		}
		return syscall.ParseNetlinkMessage(d.buffer[:n])
	}
}

// parse reads an answer.
func parse(m syscall.NetlinkMessage) (c connection, err error) {
	if m.Header.Type == unix.NLMSG_ERROR {
		if err = cause(m); err == nil || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESTALE) {
			err = errGone
		}
		return c, err
	}
	if len(m.Data) < answerSize {
		return c, errShort
	}
	c.family, c.inode = m.Data[0], binary.NativeEndian.Uint32(m.Data[inodeAt:])
	copy(c.id[:], m.Data[4:])
	info := attribute(m.Data[answerSize:], infoAttribute)
	const sent, received = unsafe.Offsetof(unix.TCPInfo{}.Bytes_acked), unsafe.Offsetof(unix.TCPInfo{}.Bytes_received)
	switch {
	case info == nil:
		return c, errGone // no process has it any more
	case len(info) < int(received)+8:
		return c, errOld
	}
	c.carried.Sent = int64(binary.NativeEndian.Uint64(info[sent:]))
	c.carried.Received = int64(binary.NativeEndian.Uint64(info[received:]))
	return c, nil
}

// cause returns the error in a message that ends an answer; nil if there is none.
func cause(m syscall.NetlinkMessage) error {
	if len(m.Data) < 4 {
		return errShort
	}
	if n := int32(binary.NativeEndian.Uint32(m.Data)); n < 0 {
		return unix.Errno(-n)
	}
	return nil
}

// attribute returns the value of an attribute of an answer; nil if it has none.
func attribute(list []byte, kind uint16) []byte {
	for len(list) >= unix.SizeofRtAttr {
		length, at := int(binary.NativeEndian.Uint16(list)), binary.NativeEndian.Uint16(list[2:])
		if length < unix.SizeofRtAttr || length > len(list) {
			return nil
		}
		if at == kind {
			return list[unix.SizeofRtAttr:length]
		}
		list = list[min((length+3)&^3, len(list)):]
	}
	return nil
}

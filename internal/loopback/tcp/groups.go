package tcp

import (
	"bufio"
	"bytes"
	"net"
	"slices"
	"sync"

	"github.com/brokerbench/brokerbench/requester"
)

// joining is the first message of a consumer; the number of its group follows.
const joining = "brokerbench TCP group "

// TakeTopology implements requester.Grouper: the server writes a copy of each message to one member
// of each group, in turn. It is the floor of a fan-out.
func (f *Factory) TakeTopology(requester.Topology) error {
	f.grouped = true
	return nil
}

// NewConsumer implements requester.Grouper.
func (f *Factory) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	return &conn{addr: f.Addr, reply: sink.Reply, stop: func() bool { return true }, first: append([]byte(joining), byte(m.Group))}, nil
}

// seats are the consumers that a server writes to.
type seats struct {
	mu     sync.Mutex
	groups map[byte][]*seat
	turn   int
}

// A seat is the socket of a consumer, to which any connection writes.
type seat struct {
	sync.Mutex

	socket net.Conn
}

// join serves a consumer until it closes its connection.
func (s *seats) join(group byte, c net.Conn, in *bufio.Reader) {
	one := &seat{socket: c}
	s.mu.Lock()
	if s.groups == nil {
		s.groups = make(map[byte][]*seat)
	}
	s.groups[group] = append(s.groups[group], one)
	s.mu.Unlock()
	one.write(appendFrame(nil, append([]byte(joining), group)))
	_, _ = in.Peek(1) // it sends nothing more
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[group] = slices.DeleteFunc(s.groups[group], func(other *seat) bool { return other == one })
	if len(s.groups[group]) == 0 {
		delete(s.groups, group)
	}
}

// next returns the member of each group whose turn it is.
func (s *seats) next(to []*seat) []*seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn++
	for _, members := range s.groups {
		to = append(to, members[s.turn%len(members)])
	}
	return to
}

func (s *seat) write(frame []byte) {
	s.Lock()
	defer s.Unlock()
	_, _ = s.socket.Write(frame) // an error ends the connection, which its reader sees
}

// echo sends every message back as soon as it arrives, or to the groups if there are any when the first
// one comes.
func (s *seats) echo(c net.Conn) {
	in := bufio.NewReader(c)
	first, err := readFrame(in, nil)
	if err != nil {
		return
	}
	if group, ok := bytes.CutPrefix(first, []byte(joining)); ok && len(group) == 1 {
		s.join(group[0], c, in)
		return
	}
	if to := s.next(nil); len(to) > 0 {
		s.fanOut(to, first, in)
		return
	}
	_, err = c.Write(appendFrame(nil, first))
	for buf := make([]byte, 64<<10); err == nil; {
		var n int
		if n, err = in.Read(buf); err == nil {
			_, err = c.Write(buf[:n])
		}
	}
}

// fanOut writes a copy of the first message, and of each that follows, to every group.
func (s *seats) fanOut(to []*seat, first []byte, in *bufio.Reader) {
	frame := appendFrame(nil, first)
	for payload, err := first, error(nil); err == nil; frame = appendFrame(frame[:0], payload) {
		for _, one := range to {
			one.write(frame)
		}
		to = s.next(to[:0])
		payload, err = readFrame(in, payload)
	}
}

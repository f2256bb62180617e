//go:build linux

package witness

import (
	"bytes"
	"fmt"
	"time"
)

// A stream is a direction of a connection, put together from segments.
type stream struct {
	next  uint32 // the number of the first byte that has not arrived
	data  []byte // not parsed yet
	early map[uint32][]byte
}

// add adds a segment, which may overlap others or be early.
func (s *stream) add(seq uint32, segment []byte) {
	behind := s.next - seq
	if int32(behind) < 0 {
		if s.early == nil {
			s.early = make(map[uint32][]byte)
		}
		s.early[seq] = bytes.Clone(segment)
		return
	}
	if int(behind) >= len(segment) {
		return // it was sent again
	}
	s.data = append(s.data, segment[behind:]...)
	s.next += uint32(len(segment)) - behind
	for at, segment := range s.early {
		if int32(s.next-at) >= 0 {
			delete(s.early, at)
			s.add(at, segment)
			return // which goes on with the others
		}
	}
}

// A protocol takes bytes of both directions. Each function parses one unit at the head of data,
// and returns its length: 0 if the rest has not arrived.
type protocol struct {
	client, server func(data []byte) (int, error)
}

// A talk is a connection.
type talk struct {
	w              *Witness
	id             int
	known, foreign bool // to which process it belongs, and whether it is another
	packets        int  // if it is
	client, server stream
	protocol       *protocol
	at             time.Time // of the present packet
}

// mostUnknown is how much of a connection is kept until its owner is known. Then, and if it ended before, it
// belongs to the process if that has connected to the same server: connections among nodes last.
const mostUnknown = 64 << 10

// take takes a segment of one direction.
func (t *talk) take(f flow, s *stream, seq uint32, segment []byte, at time.Time) {
	if !t.known {
		if ours, known := t.w.owner(f.from); known {
			t.adopt(f, ours)
		} else if len(t.client.data)+len(t.server.data) > mostUnknown {
			t.adopt(f, t.w.servers[f.to])
		}
	}
	if t.foreign {
		return
	}
	t.at = at
	if s.add(seq, segment); t.known {
		t.parseAll()
	}
}

// adopt decides whether it is a connection of the process.
func (t *talk) adopt(f flow, ours bool) {
	t.known, t.foreign = true, !ours
	if t.foreign {
		t.client, t.server = stream{}, stream{}
		return
	}
	t.w.servers[f.to] = true
	t.w.opened++
	t.id = t.w.opened
}

func (t *talk) parseAll() {
	if t.protocol == nil {
		t.protocol = t.choose()
	}
	if t.protocol != nil {
		t.parse(&t.client, t.protocol.client)
		t.parse(&t.server, t.protocol.server)
	}
}

// parse parses all that is complete.
func (t *talk) parse(s *stream, unit func([]byte) (int, error)) {
	for len(s.data) > 0 {
		n, err := unit(s.data)
		if err != nil {
			t.foreign, t.w.missed = true, fmt.Errorf("witness: connection %d: %w", t.id, err)
			return
		}
		if n == 0 || n > len(s.data) {
			return
		}
		s.data = s.data[n:]
	}
}

// gap returns an error if a part of the connection was missed.
func (t *talk) gap() error {
	if !t.known || t.foreign || len(t.client.early)+len(t.server.early) == 0 {
		return nil
	}
	return fmt.Errorf("witness: a part of connection %d was missed", t.id)
}

// choose knows a protocol by its first bytes; nil: too few have come. An unknown one has no messages.
func (t *talk) choose() *protocol {
	asks, says := t.client.data, t.server.data
	switch {
	case bytes.HasPrefix(says, []byte("INFO ")), bytes.HasPrefix(asks, []byte("CONNECT ")):
		return t.nats()
	case len(asks) < 8:
		return nil
	case asks[0] == '*':
		return t.redis()
	case bytes.HasPrefix(asks, []byte("AMQP\x00\x00\x09\x01")):
		return t.amqp()
	case asks[0] == 0 && asks[4] == 0 && asks[6] == 0:
		return t.kafka()
	}
	t.foreign = true
	return nil
}

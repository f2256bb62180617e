//go:build linux

package witness

import (
	"bytes"
	"errors"
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
	first          uint32    // the number of its first byte
	began          time.Time // when its first packet came
	id             int
	known, foreign bool      // to which process it belongs, and whether it is another
	guessed        bool      // it was never known, and is taken for one of the process
	packets        int       // of another process's
	waiting        []segment // until it is known
	held           int       // their bytes
	client, server stream
	protocol       *protocol
	at             time.Time // of the present packet
}

// A segment is a part of a stream.
type segment struct {
	s    *stream
	seq  uint32
	data []byte
	at   time.Time
}

// mostUnknown is how many bytes of a connection are kept until its owner is known.
const mostUnknown = 256 << 20

// take takes a segment.
func (t *talk) take(g segment) {
	switch {
	case t.foreign:
	case t.known:
		t.at = g.at
		g.s.add(g.seq, g.data)
		t.parseAll()
	case t.held+len(g.data) > mostUnknown:
		t.foreign, t.waiting, t.w.missed = true, nil, errors.Join(t.w.missed, errors.New("witness: it was not known in time to whom a connection belongs"))
	default:
		g.data = bytes.Clone(g.data)
		t.waiting, t.held = append(t.waiting, g), t.held+len(g.data)
	}
}

// adopt decides whether it is a connection of the process.
func (t *talk) adopt(ours bool) {
	if t.known, t.foreign = true, !ours; ours {
		t.w.opened++
		t.id = t.w.opened
	}
	waiting := t.waiting
	t.waiting = nil
	for _, g := range waiting {
		t.take(g)
	}
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
			if t.foreign = true; !t.guessed {
				t.w.missed = errors.Join(t.w.missed, fmt.Errorf("witness: connection %d: %w", t.id, err))
			}
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
	if t.guessed || t.foreign || len(t.client.early)+len(t.server.early) == 0 {
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

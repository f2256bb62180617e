//go:build linux

package witness

import (
	"encoding/binary"
	"fmt"
)

// A content is a message of AMQP that is on its way: method, header, and frames with a body.
type content struct {
	method uint32
	size   uint64
	body   []byte
}

// Methods of AMQP 0-9-1: class, method.
const (
	amqpPublish = 60<<16 | 40
	amqpReturn  = 60<<16 | 50
	amqpDeliver = 60<<16 | 60
	amqpGetOK   = 60<<16 | 71
	amqpAck     = 60<<16 | 80
	amqpNack    = 60<<16 | 120
	amqpConfirm = 85<<16 | 10
)

// A channel is a channel of AMQP.
type channel struct {
	sent, got content
	confirms  bool
	tag       uint64             // of the last publish
	open      map[uint64]Message // by tag; only messages of the schedule
	first     uint64             // every tag below is settled
}

// amqp reads AMQP 0-9-1. Deliveries are acknowledged by tags that count the publishes of a channel.
func (t *talk) amqp() *protocol {
	channels := make(map[uint16]*channel)
	frame := func(data []byte, take func(*channel, byte, []byte)) (int, error) {
		if len(data) >= 8 && string(data[:4]) == "AMQP" {
			return 8, nil
		}
		if len(data) < 8 {
			return 0, nil
		}
		n := int(binary.BigEndian.Uint32(data[3:])) + 8
		if len(data) < n {
			return 0, nil
		}
		if data[n-1] != 0xce {
			return 0, fmt.Errorf("AMQP: a frame of %d bytes ends with %#x", n, data[n-1])
		}
		number := binary.BigEndian.Uint16(data[1:])
		if channels[number] == nil {
			channels[number] = &channel{first: 1, open: make(map[uint64]Message)}
		}
		take(channels[number], data[0], data[7:n-1])
		return n, nil
	}
	return &protocol{
		client: func(data []byte) (int, error) { return frame(data, t.amqpSent) },
		server: func(data []byte) (int, error) { return frame(data, t.amqpGot) },
	}
}

// amqpSent takes a frame of the client.
func (t *talk) amqpSent(c *channel, kind byte, frame []byte) {
	if method := c.sent.take(kind, frame); method == amqpConfirm {
		c.confirms = true
	}
	if !c.sent.complete() {
		return
	}
	if m, ok := t.message(c.sent.body); ok {
		t.noteMessage(Published, m)
		c.open[c.tag+1] = m
	}
	c.tag++
	c.sent = content{}
}

// amqpGot takes a frame of the server.
func (t *talk) amqpGot(c *channel, kind byte, frame []byte) {
	if method := c.got.take(kind, frame); c.confirms && (method == amqpAck || method == amqpNack) && len(frame) >= 13 {
		t.amqpConfirmed(c, binary.BigEndian.Uint64(frame[4:]), frame[12]&1 != 0, method == amqpAck)
	}
	if !c.got.complete() {
		return
	}
	if c.got.method != amqpReturn {
		t.note(Delivered, c.got.body)
	}
	c.got = content{}
}

// amqpConfirmed settles a publish, or all until it.
func (t *talk) amqpConfirmed(c *channel, tag uint64, multiple, acked bool) {
	from := tag
	if multiple {
		if tag == 0 {
			tag = c.tag
		}
		from = c.first
		c.first = tag + 1
	}
	for ; from <= tag; from++ {
		if m, ok := c.open[from]; ok && acked {
			t.noteMessage(Acked, m)
		}
		delete(c.open, from)
	}
}

// take takes a frame, and returns its method: 0 if it is none.
func (c *content) take(kind byte, frame []byte) (method uint32) {
	switch {
	case kind == 1 && len(frame) >= 4:
		method = binary.BigEndian.Uint32(frame)
		if method == amqpPublish || method == amqpReturn || method == amqpDeliver || method == amqpGetOK {
			*c = content{method: method}
		}
	case kind == 2 && len(frame) >= 12:
		c.size, c.body = binary.BigEndian.Uint64(frame[4:]), []byte{}
	case kind == 3:
		c.body = append(c.body, frame...)
	}
	return method
}

// complete reports whether the whole body has come.
func (c *content) complete() bool { return c.body != nil && uint64(len(c.body)) >= c.size }

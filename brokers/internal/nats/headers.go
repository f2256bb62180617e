package nats

import (
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

// TakeHeaders implements [requester.HeaderTaker].
func (f *Factory) TakeHeaders(h requester.Headers) error {
	f.headers = h
	return nil
}

// message returns the message of a payload, which it does not copy.
func (c *conn) message(payload []byte) *nats.Msg {
	h := c.factory.headers
	m := &nats.Msg{Subject: c.to(payload)}
	if h.None() {
		m.Data = payload
		return m
	}
	m.Header = make(nats.Header, 1+len(h.Fixed))
	var stamp string
	if stamp, m.Data = h.Split(payload); stamp != "" {
		m.Header.Set(requester.StampHeader, stamp)
	}
	for _, one := range h.Fixed {
		m.Header.Set(one.Name, one.Value)
	}
	return m
}

// stampOf returns the stamp that travels in a header; "" if it does not.
func stampOf(h nats.Header) string { return h.Get(requester.StampHeader) }

// received passes on a message that was delivered.
func (c *conn) received(m *nats.Msg) { c.deliver(m.Subject, m.Header, m.Data) }

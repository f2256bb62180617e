package rabbitstream

import "github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"

// credits gives the broker credit for more chunks, many at once. Before 4.2.1 the broker's
// connection pauses for at least 1 ms whenever it has sent all its chunks, and after each grant
// of credit. The client's strategy, a grant for each chunk, allows only some hundred chunks a second.
//
// A quarter is granted early because the broker sends nothing while half of the first credit is
// used up.
type credits struct {
	quarter int16
	last    stream.ConsumerContext // of the chunk that the last message was in
	used    int16
}

// grant counts the chunks by their messages.
func (c *credits) grant(of stream.ConsumerContext) {
	if of == c.last {
		return
	}
	c.last = of
	if c.used++; c.used < c.quarter {
		return
	}
	if of.Consumer.Credit(c.used) == nil {
		c.used = 0
	}
}

package mqtt

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
)

var errNotBack = errors.New("a message did not come back")

// markSize is the size of what is no request.
const markSize = 8

// mark returns a message that is no request, and that nobody else sends.
func mark() []byte {
	message := make([]byte, markSize)
	_, _ = rand.Read(message) // never fails
	return message
}

// probe sends a message to a link's own topic and waits for it. It need not be sent again: the
// subscription is in force already.
func (c *conn) probe(ctx context.Context, l *link) error {
	stop := context.AfterFunc(ctx, l.cut)
	defer stop()
	message := mark()
	to := l.message()
	to.Topic = l.topic
	if err := l.publish(to, message); err != nil {
		return err
	}
	for {
		select {
		case got := <-c.probed:
			if bytes.Equal(got, message) {
				return nil
			}
		case err := <-l.up.lost:
			return err
		case err := <-l.down.lost:
			return err
		case err := <-c.spurned:
			return err
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", errNotBack, ctx.Err())
		}
	}
}

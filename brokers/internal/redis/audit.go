package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

var _ requester.Auditor = (*Factory)(nil)

// errTrimmed is why a stream cannot be audited.
var errTrimmed = errors.New("the stream was trimmed")

// The limits of a page of an audit.
const (
	pageMessages = 1000
	pageBytes    = 16 << 20
)

// Store implements [requester.Auditor].
func (f *Factory) Store() requester.Store { return requester.Store{} }

// Audit implements [requester.Auditor]: it reads the stream of each connection from its first
// message to its last.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.stores() {
		return requester.ErrKeepsNothing
	}
	return f.with(ctx, "reading streams", func(client *redis.Client) error {
		for _, c := range f.all.All() {
			if !c.created.Load() {
				continue
			}
			if err := f.readAll(ctx, client, c.channel, kept); err != nil {
				return fmt.Errorf("stream %s: %w", c.channel, err)
			}
		}
		return nil
	})
}

// readAll reads one stream, page by page. A stream that has max-len messages may have been
// trimmed.
func (f *Factory) readAll(ctx context.Context, client *redis.Client, key string, kept func([]byte)) error {
	if n, err := client.XLen(ctx, key).Result(); err != nil || f.options.maxLen > 0 && n >= int64(f.options.maxLen) {
		return cmp.Or(err, fmt.Errorf("%w to max-len=%d: which messages were kept is not known", errTrimmed, f.options.maxLen))
	}
	from, page, largest := "-", 2, 1 // first the probes, or a probe and a message
	for {
		messages, err := client.XRangeN(ctx, key, from, "+", int64(page)).Result()
		if err != nil || len(messages) == 0 {
			return err
		}
		for _, message := range messages {
			text := payload(message)
			largest = max(largest, len(text))
			kept([]byte(text))
		}
		from = "(" + messages[len(messages)-1].ID
		page = min(max(pageBytes/largest, 1), 2*page, pageMessages)
	}
}

// How long it may take to remove a stream, and after the server did not answer for one, each
// of the others.
const (
	removeLimit = 2 * time.Second
	muteLimit   = 200 * time.Millisecond
)

// remove removes a stream, over a new connection.
func (f *Factory) remove(ctx context.Context, key string) error {
	limit := removeLimit
	if f.mute.Load() {
		limit = muteLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := f.with(ctx, "removing stream "+key, func(client *redis.Client) error { return client.Unlink(ctx, key).Err() })
	if ctx.Err() != nil {
		f.mute.Store(true)
	}
	return err
}

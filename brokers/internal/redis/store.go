package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/redis/info"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// errTrimmed is why a stream cannot be audited.
var errTrimmed = errors.New("the stream was trimmed")

// The limits of a page of an audit.
const (
	pageMessages = 1000
	pageBytes    = 16 << 20
)

// Audit implements [requester.Auditor]: it reads each stream from its first
// message to its last.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.stores() {
		return requester.ErrKeepsNothing
	}
	const doing = "reading streams"
	err := f.with(ctx, doing, func(*redis.Client) error { return nil }) // also if there are none
	for _, s := range f.all.All() {
		if err == nil && s.There() {
			err = f.withKey(ctx, s.Name, doing, func(client *redis.Client) error { return f.readAll(ctx, client, s.Name, kept) })
		}
	}
	return err
}

// readAll reads one stream, page by page. A stream that has max-len messages may have been
// trimmed.
func (f *Factory) readAll(ctx context.Context, client *redis.Client, key string, kept func([]byte)) error {
	if n, err := client.XLen(ctx, key).Result(); err != nil || f.options.maxLen > 0 && n >= int64(f.options.maxLen) {
		return fmt.Errorf("stream %s: %w", key, cmp.Or(err, fmt.Errorf("%w to max-len=%d: which messages were kept is not known", errTrimmed, f.options.maxLen)))
	}
	from, page, largest := "-", 2, 1 // first the probes, or a probe and a message
	for {
		messages, err := client.XRangeN(ctx, key, from, "+", int64(page)).Result()
		if err != nil {
			return fmt.Errorf("stream %s: %w", key, err)
		}
		if len(messages) == 0 {
			return nil
		}
		for _, message := range messages {
			stamp, text := content(message)
			largest = max(largest, len(text))
			kept(requester.Join(nil, stamp, []byte(text)))
		}
		from = "(" + messages[len(messages)-1].ID
		page = min(max(pageBytes/largest, 1), 2*page, pageMessages)
	}
}

// Store implements [requester.Auditor].
func (f *Factory) Store() requester.Store {
	s := requester.Store{Retention: f.options.retention.Bytes(), InMemory: true}
	if !f.keys.None() {
		s.Logs = len(f.all.All())
	}
	return s
}

// StoreState implements [requester.StoreMeter]. The bytes are those of memory. A server before Redis 7 does not
// count what it has discarded.
func (f *Factory) StoreState(ctx context.Context) (s requester.StoreState, err error) {
	if !f.options.stores() {
		return s, requester.ErrKeepsNothing
	}
	for _, stream := range f.all.All() {
		if !stream.There() {
			continue
		}
		err = f.withKey(ctx, stream.Name, "asking for the state of stream "+stream.Name, func(client *redis.Client) error {
			return info.AddState(ctx, client, stream.Name, &s)
		})
		if err != nil {
			return s, err
		}
	}
	return s, nil
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
	err := f.withKey(ctx, key, "removing stream "+key, func(client *redis.Client) error { return client.Unlink(ctx, key).Err() })
	if ctx.Err() != nil {
		f.mute.Store(true)
	}
	return err
}

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string { return transport.Left(&f.all) }

// Find implements [requester.Sweeper]. It finds the streams in the database of the URL.
// The ID of a stream's last message has the time when the stream was last used.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) (things []requester.Leftover, _ string, err error) {
	things, err = leftover.Watch(ctx, "stream", func() (map[string]leftover.Seen, error) {
		seen := make(map[string]leftover.Seen)
		return seen, f.each(ctx, "looking for streams", func(client *redis.Client) error {
			names, err := streams(ctx, client, q)
			return cmp.Or(err, info.Look(ctx, client, names, seen))
		})
	})
	return things, "", err
}

// streams returns the names of streams that the query wants.
func streams(ctx context.Context, client *redis.Client, q requester.LeftoverQuery) (names []string, err error) {
	seen := make(map[string]bool) // SCAN may return a name twice
	all := client.ScanType(ctx, 0, "brokerbench.*", 1000, "stream").Iterator()
	for all.Next(ctx) {
		if name := all.Val(); leftover.Wants(q, name) && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, all.Err()
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []requester.Leftover) (errs []error) {
	for _, t := range things {
		errs = append(errs, f.remove(ctx, t.Name))
	}
	return errs
}

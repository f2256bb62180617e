package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

var _ requester.Auditor = (*Factory)(nil)

// errTrimmed is why a stream cannot be read back whole.
var errTrimmed = errors.New("the stream was trimmed")

// auditPage is how many messages one XRANGE reads, and auditBuffer the size of the
// buffer for them.
const (
	auditPage   = "1000"
	auditBuffer = 256 << 10
)

// Audit implements [requester.Auditor]: it reads the stream of each connection from its
// first message to its last.
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if f.options.stream == streamNone {
		return requester.ErrKeepsNothing
	}
	l := newLine(f)
	defer l.close()
	defer context.AfterFunc(ctx, l.close)()
	h, err := f.hold(ctx, l, func(client *redis.Conn) error { return f.untrimmed(ctx, client) })
	if err != nil {
		return f.explain("reading streams", target.Because(ctx, err))
	}
	defer h.close()
	r := newReplies(h.socket, auditBuffer)
	for conn := range int(f.conns.Load()) {
		if err := readAll(h, r, f.channel(conn), kept); err != nil {
			return f.explain("reading stream "+f.channel(conn), target.Because(ctx, err))
		}
	}
	return nil
}

// readAll reads one stream, page by page.
func readAll(h *held, r *replies, key string, kept func([]byte)) error {
	from := []byte("-")
	for {
		page := appendWord(command(4, "XRANGE", key), from)
		for _, word := range []string{"+", "COUNT", auditPage} {
			page = appendWord(page, []byte(word))
		}
		if err := h.write(page); err != nil {
			return err
		}
		n, err := r.entries(func(_, payload []byte) { kept(payload) })
		if err != nil || n == 0 {
			return err
		}
		from = append(append(from[:0], '('), r.id...) // after the last one
	}
}

// untrimmed returns an error if messages may have been removed from a stream as the
// option max-len wants it: it then has as many at least.
func (f *Factory) untrimmed(ctx context.Context, client *redis.Conn) error {
	if f.options.maxLen == 0 {
		return nil
	}
	for conn := range int(f.conns.Load()) {
		n, err := client.XLen(ctx, f.channel(conn)).Result()
		if err != nil {
			return err
		}
		if n >= int64(f.options.maxLen) {
			return fmt.Errorf("%w to max-len=%d: what was kept is not known", errTrimmed, f.options.maxLen)
		}
	}
	return nil
}

// How long it may take to remove a stream, and once the server did not answer for one,
// each of the others.
const (
	removeLimit = 2 * time.Second
	muteLimit   = 200 * time.Millisecond
)

// remove removes a stream, over a connection of its own.
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

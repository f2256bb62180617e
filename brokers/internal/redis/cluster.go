package redis

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/redis/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/redis/go-redis/v9"
)

// The schemes of a target that is a cluster end with ofClusters.
const (
	ofClusters    = "+cluster"
	schemeCluster = scheme + ofClusters
)

// slotsWatch is how often the slots are compared with the servers to which a connection leads.
const slotsWatch = time.Second

// clustered reports whether the target is a cluster.
func clustered(scheme string) bool { return strings.HasSuffix(scheme, ofClusters) }

// askNode asks one node of a cluster for the slots.
func (f *Factory) askNode(ctx context.Context, at string) (*cluster.View, error) {
	l := newLine(f)
	l.find = always(at)
	defer l.close()
	defer context.AfterFunc(ctx, l.close)()
	dial, err := l.connected(ctx)
	if err != nil {
		return nil, target.Because(ctx, err)
	}
	o := f.clientOptions(dial)
	o.OnConnect = nil // any node knows
	client := redis.NewClient(o)
	defer func() { _ = client.Close() }()
	view, err := cluster.Read(ctx, client, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, l.because(ctx, err))
	}
	return view, nil
}

// masterOf returns the address of the server that has a stream or channel: the master of its slot in a
// cluster.
func (f *Factory) masterOf(ctx context.Context, key string) (addr string, err error) {
	if !f.options.clustered {
		return f.find(ctx)
	}
	return f.slots.Master(ctx, key)
}

// lineTo returns a line to the server that has a stream or channel, whose name key returns.
func (f *Factory) lineTo(key func() string) *line {
	l := newLine(f)
	l.find = func(ctx context.Context) (string, error) { return f.masterOf(ctx, key()) }
	return l
}

// withKey calls do with a new client of the server that has a stream.
func (f *Factory) withKey(ctx context.Context, key, doing string, do func(*redis.Client) error) error {
	return f.over(ctx, f.lineTo(func() string { return key }), doing, do)
}

// each calls do with a new client of each server: of each master of a cluster.
func (f *Factory) each(ctx context.Context, doing string, do func(*redis.Client) error) error {
	if !f.options.clustered {
		return f.with(ctx, doing, do)
	}
	addrs, err := f.slots.Masters(ctx)
	if err != nil {
		return f.Explain("connecting", err)
	}
	for _, addr := range addrs {
		l := newLine(f)
		l.find = always(addr)
		if err := f.over(ctx, l, doing, do); err != nil {
			return err
		}
	}
	return nil
}

// followSlots ends the connections to servers that have the slot no longer, until Teardown. One that is frozen
// or cut off would keep them for as long.
func (c *conn) followSlots() {
	tick := time.NewTicker(slotsWatch)
	defer tick.Stop()
	for {
		select {
		case <-c.alive.Done():
			return
		case <-tick.C:
		}
		for _, l := range []*line{c.up, c.down} {
			if addr, err := l.find(c.alive); err == nil {
				l.leave(addr)
			}
		}
	}
}

// isMoved reports whether a server of a cluster has refused a command because another one has the slot.
func (c *conn) isMoved(err error) bool {
	return c.factory.options.clustered && err != nil && isReply(err) && strings.HasPrefix(err.Error(), "MOVED ")
}

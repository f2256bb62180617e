package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/redis/go-redis/v9"
)

// The schemes of a target that is a cluster end with ofClusters.
const (
	ofClusters    = "+cluster"
	schemeCluster = scheme + ofClusters
)

// slotCount is the number of slots of a cluster.
const slotCount = 1 << 14

var errNoSlot = errors.New("the cluster has no master for it")

// clustered reports whether the target is a cluster.
func clustered(scheme string) bool { return strings.HasSuffix(scheme, ofClusters) }

// slotOf returns the slot of a key, or channel, without braces: CRC-16/XMODEM of its bytes.
func slotOf(key string) int {
	crc := uint16(0)
	for _, b := range []byte(key) {
		crc ^= uint16(b) << 8
		for range 8 {
			high := crc >> 15
			crc = crc<<1 ^ high*0x1021
		}
	}
	return int(crc) % slotCount
}

// How long an answer about the slots is used, how long one may take, and how often it is compared with the
// servers to which a connection leads.
const (
	slotsFresh = 250 * time.Millisecond
	slotsLimit = 2 * time.Second
	slotsWatch = time.Second
)

// slotMap is what the nodes of a cluster last said about its slots.
type slotMap struct {
	mu    sync.Mutex
	asked time.Time
	list  []redis.ClusterSlot
	nodes []string // all addresses: of the URL, and those that they named
}

// slots returns the ranges of slots with their nodes, of which the first is the master.
func (f *Factory) slots(ctx context.Context) ([]redis.ClusterSlot, error) {
	m := &f.slotMap
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.asked) < slotsFresh {
		return m.list, nil
	}
	ctx, cancel := context.WithTimeout(ctx, slotsLimit)
	defer cancel()
	list, err := target.Ask(ctx, append(f.Target.Addrs(defaultPort), m.nodes...), f.askSlots)
	if err != nil {
		return nil, fmt.Errorf("asking the cluster for its slots: %w", err)
	}
	m.asked, m.list, m.nodes = time.Now(), list, nil
	for _, of := range list {
		for _, node := range of.Nodes {
			if !slices.Contains(m.nodes, node.Addr) {
				m.nodes = append(m.nodes, node.Addr)
			}
		}
	}
	return list, nil
}

// askSlots asks one node. A node that does not know its own address leaves that out.
func (f *Factory) askSlots(ctx context.Context, at string) (list []redis.ClusterSlot, err error) {
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
	if list, err = client.ClusterSlots(ctx).Result(); err != nil { //nolint:staticcheck // Redis 6.2 has no CLUSTER SHARDS
		return nil, fmt.Errorf("%s: %w", at, l.because(ctx, err))
	}
	host, _, _ := net.SplitHostPort(at)
	for _, of := range list {
		for i, node := range of.Nodes {
			if port, unknown := strings.CutPrefix(node.Addr, ":"); unknown {
				of.Nodes[i].Addr = net.JoinHostPort(host, port)
			}
		}
	}
	return list, nil
}

// masters returns the addresses of all masters.
func (f *Factory) masters(ctx context.Context) (addrs []string, err error) {
	list, err := f.slots(ctx)
	for _, of := range list {
		if len(of.Nodes) > 0 && !slices.Contains(addrs, of.Nodes[0].Addr) {
			addrs = append(addrs, of.Nodes[0].Addr)
		}
	}
	if len(addrs) == 0 && err == nil {
		err = errNoSlot
	}
	return addrs, err
}

// masterOf returns the address of the server that has a stream or channel: the master of its slot in a
// cluster.
func (f *Factory) masterOf(ctx context.Context, key string) (addr string, err error) {
	if !f.options.clustered {
		return f.find(ctx)
	}
	list, err := f.slots(ctx)
	slot := slotOf(key)
	for _, of := range list {
		if of.Start <= slot && slot <= of.End && len(of.Nodes) > 0 {
			return of.Nodes[0].Addr, nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("slot %d: %w", slot, errNoSlot))
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
	addrs, err := f.masters(ctx)
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

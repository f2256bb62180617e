// Package cluster knows which server of a Redis Cluster has a key.
package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Count is the number of slots of a cluster.
const Count = 1 << 14

// ErrNoSlot is why no server has a key.
var ErrNoSlot = errors.New("the cluster has no master for it")

// Slot returns the slot of a key, or channel, without braces: CRC-16/XMODEM of its bytes.
func Slot(key string) int {
	crc := uint16(0)
	for _, b := range []byte(key) {
		crc ^= uint16(b) << 8
		for range 8 {
			high := crc >> 15
			crc = crc<<1 ^ high*0x1021
		}
	}
	return int(crc) % Count
}

// How long an answer about the slots is used, and how long one may take.
const (
	fresh = 250 * time.Millisecond
	limit = 2 * time.Second
)

// Slots are what the nodes of a cluster last said about its slots. It is safe for concurrent use.
type Slots struct {
	Seeds []string                                              // addresses of nodes; one is enough
	Ask   func(ctx context.Context, addr string) (*View, error) // asks one node, as [Read] does

	mu    sync.Mutex
	asked time.Time
	view  View
}

// now returns the ranges of slots with their nodes, of which the first is the master.
func (s *Slots) now(ctx context.Context) ([]redis.ClusterSlot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.asked) < fresh {
		return s.view.Slots, nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	view, err := s.ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the cluster for its slots: %w", err)
	}
	s.asked, s.view = time.Now(), *view
	return view.Slots, nil
}

// Masters returns the addresses of all masters.
func (s *Slots) Masters(ctx context.Context) (addrs []string, err error) {
	list, err := s.now(ctx)
	if addrs = (&View{Slots: list}).nodes(1); len(addrs) == 0 && err == nil {
		err = ErrNoSlot
	}
	return addrs, err
}

// Master returns the address of the master that has a key.
func (s *Slots) Master(ctx context.Context, key string) (addr string, err error) {
	list, err := s.now(ctx)
	slot := Slot(key)
	for _, of := range list {
		if of.Start <= slot && slot <= of.End && len(of.Nodes) > 0 {
			return of.Nodes[0].Addr, nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("slot %d: %w", slot, ErrNoSlot))
}

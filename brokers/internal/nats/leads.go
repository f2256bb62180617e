package nats

import (
	"context"
	"slices"
	"sync"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Leadership implements [requester.LeaderFinder]: the leader of the stream, which all connections
// share. Core NATS has none. A server knows the others by their names alone, so each is asked
// for its own until all are known.
func (f *Factory) Leadership(ctx context.Context, _ int) (l requester.Leadership, err error) {
	if !f.options.stores() {
		return l, requester.ErrNoLeader
	}
	l, err = target.Ask(ctx, f.Target.Addrs(defaultPort), f.askLeader)
	if err != nil {
		return l, f.Explain("asking who leads stream "+streamName(f.Run), err)
	}
	if slices.ContainsFunc(append(slices.Clone(l.Followers), l.Leader), func(name string) bool { return f.addressOf(name) == name }) {
		f.learnNames(ctx)
	}
	l.Leader = f.addressOf(l.Leader)
	for i, name := range l.Followers {
		l.Followers[i] = f.addressOf(name)
	}
	return l, nil
}

// askLeader asks one server. The leadership has names.
func (f *Factory) askLeader(ctx context.Context, addr string) (l requester.Leadership, err error) {
	l.What = "stream " + streamName(f.Run)
	err = f.withServer(ctx, addr, func(client *nats.Conn) error {
		js, err := jetstream.New(client)
		if err != nil {
			return err
		}
		stream, err := js.Stream(ctx, streamName(f.Run))
		if err != nil {
			return err
		}
		cluster := stream.CachedInfo().Cluster
		if cluster == nil || cluster.Leader == "" && len(cluster.Replicas) == 0 { // a server alone
			l.Leader, l.InStep, l.Copies = client.ConnectedServerName(), 1, 1
			return nil
		}
		l.Leader, l.InStep, l.Copies = cluster.Leader, 1, 1+len(cluster.Replicas)
		for _, replica := range cluster.Replicas {
			l.Followers = append(l.Followers, replica.Name)
			if replica.Current && !replica.Offline {
				l.InStep++
			}
		}
		return nil
	})
	return l, err
}

// withServer calls do with a connection to that server.
func (f *Factory) withServer(ctx context.Context, addr string, do func(*nats.Conn) error) error {
	to := f.Target
	to.Hosts, to.Via = []string{addr}, nil
	return f.with(ctx, to, func(client *nats.Conn) error {
		f.named.Store(client.ConnectedServerName(), addr)
		return do(client)
	})
}

// learnNames asks every server that answers for its name.
func (f *Factory) learnNames(ctx context.Context) {
	var asking sync.WaitGroup
	for _, addr := range f.Target.Addrs(defaultPort) {
		asking.Go(func() { _ = f.withServer(ctx, addr, func(*nats.Conn) error { return nil }) })
	}
	asking.Wait()
}

// addressOf returns the address of a server, or its name if that is all that is known.
func (f *Factory) addressOf(name string) string {
	if addr, ok := f.named.Load(name); ok {
		return addr.(string)
	}
	return name
}

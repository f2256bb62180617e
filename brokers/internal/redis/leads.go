package redis

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// Leadership implements [requester.LeaderFinder]: the master, by its own account, by the
// sentinels', or by that of the cluster, where it is the master of the connection's slot. In step are the replicas that are online and lack at most the last second: they
// report once a second how far they are.
func (f *Factory) Leadership(ctx context.Context, number int) (requester.Leadership, error) {
	if !f.topology.Own() {
		number = f.topology.Topic(number)
	}
	addr, err := f.masterOf(ctx, f.channel(number))
	if err != nil {
		return requester.Leadership{}, f.Explain("asking for the master", err)
	}
	l, err := f.askLeader(ctx, addr)
	for most := f.copies.Load(); int64(l.Copies) > most && !f.copies.CompareAndSwap(most, int64(l.Copies)); {
		most = f.copies.Load()
	}
	l.Copies = int(f.copies.Load()) // a master forgets a replica that is gone
	return l, f.Explain("asking for the master", err)
}

// askLeader asks one server.
func (f *Factory) askLeader(ctx context.Context, addr string) (l requester.Leadership, err error) {
	to := newLine(f)
	to.find, to.dialer.Target.Via = always(addr), nil
	err = f.over(ctx, to, "asking for the master", func(client *redis.Client) error {
		text, err := client.Info(ctx, "replication").Result()
		if err == nil {
			l, err = leadership(text, addr)
		}
		return err
	})
	return l, err
}

// leadership reads the leader from the replication section of a server at addr.
func leadership(info, addr string) (l requester.Leadership, err error) {
	l.What = "the data of the servers"
	if infoField(info, "role") == "slave" {
		l.Leader = net.JoinHostPort(infoField(info, "master_host"), infoField(info, "master_port"))
		l.Followers = []string{addr}
		if infoField(info, "master_link_status") != "up" {
			return l, fmt.Errorf("%s is a replica of %s, which does not answer it", addr, l.Leader)
		}
		return l, nil
	}
	l.Leader, l.InStep, l.Copies = addr, 1, 1
	for i := 0; ; i++ {
		replica := infoField(info, "slave"+strconv.Itoa(i))
		if replica == "" {
			return l, nil
		}
		l.Copies++
		of := attributes(replica)
		l.Followers = append(l.Followers, net.JoinHostPort(of["ip"], of["port"]))
		if lag, err := strconv.Atoi(of["lag"]); err == nil && lag <= 1 && of["state"] == "online" {
			l.InStep++
		}
	}
}

// attributes reads ip=127.0.0.1,port=6380,state=online.
func attributes(text string) map[string]string {
	of := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(pair, "=")
		of[name] = value
	}
	return of
}

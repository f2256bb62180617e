package redis

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

var _ requester.Leads = (*Factory)(nil)

// Leadership implements [requester.Leads]: the master, as it says itself, or as the sentinels say. In step are
// the replicas that are online and have all of it but for the last second: they say once a
// second how far they are.
func (f *Factory) Leadership(ctx context.Context, _ int) (requester.Leadership, error) {
	addr, err := f.find(ctx)
	if err != nil {
		return requester.Leadership{}, f.explain("asking who is the master", err)
	}
	l, err := f.askLeader(ctx, addr)
	for most := f.copies.Load(); int64(l.Copies) > most && !f.copies.CompareAndSwap(most, int64(l.Copies)); {
		most = f.copies.Load()
	}
	l.Copies = int(f.copies.Load()) // a master forgets a replica that is gone
	return l, f.explain("asking who is the master", err)
}

// askLeader asks one server.
func (f *Factory) askLeader(ctx context.Context, addr string) (l requester.Leadership, err error) {
	line := newLine(f)
	line.find, line.at = always(addr), func(addr string) string { return addr }
	defer line.close()
	defer context.AfterFunc(ctx, line.close)()
	client, err := f.dialled(ctx, line)
	if err != nil {
		return l, err
	}
	defer func() { _ = client.Close() }()
	said, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return l, target.Because(ctx, err)
	}
	return leadership(said, addr)
}

// leadership reads who leads from what a server at addr says of replication.
func leadership(info, addr string) (l requester.Leadership, err error) {
	l.What = "the data of the servers"
	if field(info, "role") == "slave" {
		l.Leader = net.JoinHostPort(field(info, "master_host"), field(info, "master_port"))
		l.Followers = []string{addr}
		if field(info, "master_link_status") != "up" {
			return l, fmt.Errorf("%s is a replica of %s, which does not answer it", addr, l.Leader)
		}
		return l, nil
	}
	l.Leader, l.InStep, l.Copies = addr, 1, 1
	for i := 0; ; i++ {
		replica := field(info, "slave"+strconv.Itoa(i))
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

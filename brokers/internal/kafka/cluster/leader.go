package cluster

import (
	"cmp"
	"net"
	"strconv"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Leadership reads the leader from a broker's metadata of one topic.
func Leadership(said kadm.Metadata, topic string) (l requester.Leadership, err error) {
	p, ok := said.Topics[topic].Partitions[0]
	switch err := said.Topics[topic].Err; {
	case err != nil:
		return l, err
	case !ok:
		return l, kerr.UnknownTopicOrPartition
	}
	at := make(map[int32]string)
	for _, b := range said.Brokers {
		at[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	if p.Leader < 0 || at[p.Leader] == "" {
		return l, kerr.LeaderNotAvailable
	}
	l = requester.Leadership{What: "topic " + topic + ", partition 0", Leader: at[p.Leader], InStep: len(p.ISR), Copies: len(p.Replicas)}
	for _, id := range p.Replicas {
		if id != p.Leader { // the address of one that is down is not known
			l.Followers = append(l.Followers, cmp.Or(at[id], strconv.Itoa(int(id))))
		}
	}
	return l, nil
}

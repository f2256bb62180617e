package cluster

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// A View is what one node says about its cluster. A node that is cut off, or was away, does not know of the changes
// that the others have made, and may still believe that it has its slots. A node that has voted for a new master
// knows the epoch a moment before it knows the new slots.
type View struct {
	Slots  []redis.ClusterSlot
	Epoch  int64 // of the newest change of a master that the node knows; 0 if it does not say
	Serves bool  // the node reaches most masters, and serves commands
}

// Read asks the node at addr. A node that does not know its own address leaves that out of its answer.
func Read(ctx context.Context, client *redis.Client, addr string) (*View, error) {
	pipe := client.Pipeline()
	slots, info := pipe.ClusterSlots(ctx), pipe.ClusterInfo(ctx)
	_, _ = pipe.Exec(ctx)    // each has its own error
	v := &View{Serves: true} // a user may lack the permission for CLUSTER INFO
	for line := range strings.Lines(info.Val()) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name {
		case "cluster_state":
			v.Serves = value == "ok"
		case "cluster_current_epoch":
			v.Epoch, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	host, _, _ := net.SplitHostPort(addr)
	for _, of := range slots.Val() {
		for i, node := range of.Nodes {
			if port, unknown := strings.CutPrefix(node.Addr, ":"); unknown {
				of.Nodes[i].Addr = net.JoinHostPort(host, port)
			}
		}
	}
	v.Slots = slots.Val()
	return v, slots.Err()
}

// newer reports whether v is to be preferred to the view before it, nil if there is none. A replica becomes a
// master with a higher epoch than all before it, and most masters know that.
func (v *View) newer(before *View) bool {
	return before == nil || v.Epoch > before.Epoch || v.Epoch == before.Epoch && v.Serves && !before.Serves
}

// nodes returns the addresses of the first most nodes of each range of slots; the first is the master.
func (v *View) nodes(most int) (addrs []string) {
	for _, of := range v.Slots {
		for _, node := range of.Nodes[:min(most, len(of.Nodes))] {
			if !slices.Contains(addrs, node.Addr) {
				addrs = append(addrs, node.Addr)
			}
		}
	}
	return addrs
}

// most reports whether the addresses include most masters.
func (v *View) most(addrs []string) bool {
	masters := v.nodes(1)
	missing := slices.DeleteFunc(slices.Clone(masters), func(addr string) bool { return slices.Contains(addrs, addr) })
	return 2*len(missing) < len(masters)
}

// Replicas counts the replicas of a node, also those that are away, in its own answer to CLUSTER NODES:
//
//	ID ip:port@bus myself,master - 0 0 3 connected 0-5460
//	ID ip:port@bus slave,fail ID-OF-ITS-MASTER 0 0 3 disconnected
func Replicas(nodes string) (n int) {
	masters, own := make(map[string]int), ""
	for line := range strings.Lines(nodes) {
		words := strings.Fields(line)
		if len(words) < 4 {
			continue
		}
		if masters[words[3]]++; strings.HasPrefix(words[2], "myself") {
			own = words[0]
		}
	}
	return masters[own]
}

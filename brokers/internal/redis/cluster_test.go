package redis

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/redis/cluster"
	"github.com/brokerbench/brokerbench/internal/leaf/longtest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// A clusterOf has three masters, and behind them a replica of each.
type clusterOf []*broker

// serveCluster starts a cluster that has each node's file of nodes already.
func serveCluster(t *testing.T, replicas bool, args ...string) clusterOf {
	t.Helper()
	needServer(t)
	slots := []string{"0-5460", "5461-10922", "10923-16383"}
	id := func(i int) string { return fmt.Sprintf("%040d", i+1) }
	var all clusterOf
	var buses []string
	used := make(map[string]bool)
	for i := range 6 {
		if i > 2 && !replicas {
			break
		}
		port, bus := freePort(t, used), freePort(t, used)
		buses = append(buses, bus)
		all = append(all, &broker{port: port, dir: t.TempDir(), args: append([]string{
			"--save", "", "--appendonly", "no", "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "1000",
			"--repl-diskless-sync-delay", "0", "--cluster-replica-validity-factor", "0",
		}, args...)})
	}
	for i, b := range all {
		var text strings.Builder
		for j, other := range all {
			role, of, has := "master", "-", ""
			if j < 3 {
				has = " " + slots[j]
			} else {
				role, of = "slave", id(j-3)
			}
			if i == j {
				role = "myself," + role
			}
			fmt.Fprintf(&text, "%s 127.0.0.1:%s@%s %s %s 0 0 %d connected%s\n", id(j), other.port, buses[j], role, of, j%3+1, has)
		}
		text.WriteString("vars currentEpoch 3 lastVoteEpoch 0\n")
		if err := os.WriteFile(filepath.Join(b.dir, "nodes.conf"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		b.start(t)
		t.Cleanup(b.halt)
	}
	for _, b := range all {
		f := openURL(t, b.url("", ""))
		requestertest.Until(t, "the cluster is formed", func() bool {
			known := do(t, f, "CLUSTER|INFO").(string)
			linked := strings.Contains(do(t, f, "INFO|replication").(string), "connected_slaves:1") || strings.Contains(do(t, f, "INFO|replication").(string), "master_link_status:up")
			return strings.Contains(known, "cluster_state:ok") && (linked || !replicas)
		})
	}
	return all
}

// freePort returns a port that is free, and not in used, to which it adds it.
func freePort(t *testing.T, used map[string]bool) string {
	t.Helper()
	for {
		_, port, _ := net.SplitHostPort(brokertest.Refusing(t))
		if !used[port] {
			used[port] = true
			return port
		}
	}
}

// url returns the cluster's, with what stands behind the hosts.
func (c clusterOf) url(rest string) string {
	return "redis+cluster://127.0.0.1:" + c[0].port + rest
}

func TestClusterConformance(t *testing.T) {
	c := serveCluster(t, false)
	for _, stream := range []string{"none", "read", "group"} {
		t.Run(stream, func(t *testing.T) { requestertest.Run(t, openURL(t, c.url("?stream="+stream))) })
	}
}

// Four connections reach all masters.
func TestConnectionsOfAClusterReachAllMasters(t *testing.T) {
	c := serveCluster(t, false)
	for _, stream := range []string{"none", "read"} {
		f := openURL(t, c.url("?stream="+stream))
		for n := range 4 {
			requestertest.Connect(t, f, n).RoundTrips(t)
		}
		for i, b := range c {
			of := openURL(t, b.url("", ""))
			has := do(t, of, "PUBSUB|SHARDCHANNELS").([]any)
			if stream == "read" {
				has = do(t, of, "KEYS|brokerbench.*").([]any)
			}
			if len(has) == 0 {
				t.Errorf("master %d has nothing of stream=%s", i+1, stream)
			}
		}
		if l, err := f.Leadership(t.Context(), 0); err != nil || l.Leader != c.masterOf(f, 0) {
			t.Errorf("the leader is %+v, %v, want %s", l, err, c.masterOf(f, 0))
		}
	}
}

// masterOf returns the master of a connection by the ranges of slots that serveCluster sets.
func (c clusterOf) masterOf(f *Factory, number int) string {
	return "127.0.0.1:" + c[c.index(f, number)].port
}

func (c clusterOf) index(f *Factory, number int) int {
	slot := cluster.Slot(f.channel(number))
	for i, last := range []int{5460, 10922} {
		if slot <= last {
			return i
		}
	}
	return 2
}

func TestClusterDescribes(t *testing.T) {
	c := serveCluster(t, false)
	d, err := openURL(t, c.url("?stream=read")).Describe(t.Context())
	if err != nil || len(d.Timers) != 2 || d.Timers[0].Value != "1000" || d.Durability.Level != requester.Accepted {
		t.Errorf("%+v, %v", d, err)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"server-appendonly": "no"})
}

// One master that keeps less decides.
func TestClusterIsAsDurableAsItsWeakestMaster(t *testing.T) {
	c := serveCluster(t, false, "--appendonly", "yes", "--appendfsync", "always")
	f := openURL(t, c.url("?stream=read"))
	if d, err := f.Describe(t.Context()); err != nil || d.Durability.Level != requester.Machine {
		t.Errorf("%+v, %v, want machine", d.Durability, err)
	}
	do(t, openURL(t, c[2].url("", "")), "CONFIG|SET|appendfsync|no")
	if d, err := f.Describe(t.Context()); err != nil || d.Durability.Level != requester.Process {
		t.Errorf("%+v, %v, want process", d.Durability, err)
	}
}

// A replica that takes over has only what all replicas have.
func TestClusterNeedsAllReplicas(t *testing.T) {
	c := serveCluster(t, true, "--appendonly", "yes", "--appendfsync", "no")
	for wait, want := range map[string]requester.Durability{"0": requester.Accepted, "1": requester.Node} {
		d, err := openURL(t, c.url("?stream=read&wait-replicas="+wait)).Describe(t.Context())
		if err != nil || d.Durability.Level != want {
			t.Errorf("%s: %+v, %v, want %s", wait, d.Durability, err, want)
		}
	}
}

// A replica that is away now may be the one that takes over later.
func TestReplicasThatAreAwayCount(t *testing.T) {
	t.Run("cluster", func(t *testing.T) {
		c := serveCluster(t, true, "--appendonly", "yes", "--appendfsync", "no")
		for i, replica := range c[3:] {
			replica.halt()
			requestertest.Until(t, "the replica is away", func() bool {
				return strings.Contains(do(t, openURL(t, c[i].url("", "")), "INFO|replication").(string), "connected_slaves:0")
			})
		}
		wantAccepted(t, openURL(t, c.url("?stream=read")), map[string]string{"server-replicas": "0", "server-replicas-known": "1"})
	})
	t.Run("sentinel", func(t *testing.T) {
		r := serveGuided(t)
		other := serve(t, "--replicaof", "127.0.0.1", r.master.port, "--repl-diskless-sync-delay", "0")
		master, f := openURL(t, r.master.url("", "")), openURL(t, r.url("?stream=read&wait-replicas=1"))
		requestertest.Until(t, "the sentinel knows both replicas", func() bool { return f.masterFields(t.Context())["num-slaves"] == "2" })
		other.halt()
		do(t, master, "CONFIG|SET|appendonly|yes")
		do(t, master, "CONFIG|SET|appendfsync|no")
		requestertest.Until(t, "a replica is away", func() bool {
			return strings.Contains(do(t, master, "INFO|replication").(string), "connected_slaves:1")
		})
		wantAccepted(t, f, map[string]string{"server-replicas": "1", "server-replicas-known": "2"})
	})
}

func wantAccepted(t *testing.T, f *Factory, settings map[string]string) {
	t.Helper()
	d, err := f.Describe(t.Context())
	if err != nil || d.Durability.Level != requester.Accepted {
		t.Errorf("%+v, %v, want accepted", d.Durability, err)
	}
	brokertest.WantSettings(t, d.Settings, settings)
}

// The streams and channels of several topics are on several servers.
func TestGroupsOfACluster(t *testing.T) {
	for stream, topologies := range map[string][]requester.Topology{
		"none":  {{Topics: 1, Groups: 2, Members: 1}, {Topics: 4, Groups: 3, Members: 1}},
		"group": {{Topics: 1, Groups: 2, Members: 2}, {Topics: 4, Groups: 2, Members: 3}},
	} {
		for _, topology := range topologies {
			t.Run(fmt.Sprintf("%s %d", stream, topology.Topics), func(t *testing.T) {
				if topology.Topics == 1 {
					longtest.Only(t)
				}
				c := serveCluster(t, false)
				brokertest.Groups(t, openURL(t, c.url("?stream="+stream)), topology, 256)
				for i, b := range c {
					if n := keys(t, openURL(t, b.url("", ""))); n > 0 {
						t.Errorf("master %d has %d keys left", i+1, n)
					}
				}
			})
		}
	}
	t.Run("members end", func(t *testing.T) {
		f := openURL(t, serveCluster(t, false).url("?stream=group&claim-idle=1s"))
		if missing, twice := brokertest.Mortals(t, f, 10*time.Second); missing > 0 || twice > 0 {
			t.Errorf("%d messages are missing, %d came twice", missing, twice)
		}
	})
	t.Run("backlog", func(t *testing.T) {
		brokertest.Backlog(t, openURL(t, serveCluster(t, false).url("?stream=group")), requester.Topology{Topics: 4, Groups: 2, Members: 2})
	})
	brokertest.WantNoKeys(t, openURL(t, "redis+cluster://h?stream=group"), requester.Topology{Topics: 2, Groups: 1, Members: 1}, "leave out --keys")
}

func TestClusterSweep(t *testing.T) {
	c := serveCluster(t, false)
	f := openURL(t, c.url("?stream=read"))
	for n := range 4 {
		l := requestertest.Connect(t, f, n)
		l.RoundTrips(t)
	}
	other := openURL(t, c.url("?stream=read"))
	found, _, err := other.Find(t.Context(), requester.LeftoverQuery{Run: f.Run})
	if err != nil || len(found) != 4 {
		t.Fatalf("found %v, %v, want 4 streams", found, err)
	}
	for _, err := range other.Remove(t.Context(), found) {
		if err != nil {
			t.Error(err)
		}
	}
	if found, _, err := other.Find(t.Context(), requester.LeftoverQuery{Run: f.Run}); err != nil || len(found) != 0 {
		t.Errorf("left: %v, %v", found, err)
	}
}

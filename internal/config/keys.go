package config

import (
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A Key is a row of the table of keys. A plan file, the flag --name and the
// variable BROKERBENCH_NAME share it: reading, the JSON Schema, the environment and
// the help all go by this table. To add a key, add a row to settings or axes.
type Key struct {
	Name    string
	Short   string // the letter of the flag; "" if there is none
	Help    string // one line
	Default string // as a user would write it; "" if there is none
	List    bool   // whether a flag or variable takes several values

	kind     // of a single value
	examples []any
}

// key returns a key: its name, and behind a comma the letter of its flag, its default, and so on.
func key(name, byDefault, help string, of kind, examples ...any) Key {
	name, short, _ := strings.Cut(name, ",")
	return Key{Name: name, Short: short, Default: byDefault, Help: help, kind: of, examples: examples}
}

// A draft is what keys are read into. Its tables of keys are bound to its fields.
type draft struct {
	plan.Plan
	plan.Shape
	fault plan.Fault
	node  plan.Node

	durability string // checked, and otherwise unused: it is an option of each target
}

// Keys returns the whole table.
func Keys() []Key {
	d := new(draft)
	keys := []Key{
		{Name: "targets", List: true, Help: "what to measure: URLs, or names of the plan's targets"},
		sloKey(),
		userKey(),
		{Name: "out", Help: "folder in which each run makes a new folder for its results", Default: "./brokerbench-results"},
	}
	return append(append(keys, d.settings()...), d.axes()...)
}

func sloKey() Key {
	k := key("slo", "", "objectives for the results, such as p99.9<5ms, loss<0.001% or rate>99%; else exit code 3", ofObjectives(), "p99.9<5ms", "loss<0.001%")
	k.List = true
	return k
}

func userKey() Key {
	k := key("user", "", "users who need several messages each, one after the other on a connection or at the same time: their worst time and sum", ofUsers(), "50 in sequence", "200 in parallel")
	k.List = true
	return k
}

// settings returns the keys that all cells of a plan have in common, in the order
// in which the template shows them.
func (d *draft) settings() []Key {
	s := &d.Settings
	return []Key{
		key("name", "", "name of the run, in the name of its folder", ofName(&d.Name), "classic"),
		key("duration,d", "30s", "how long each cell is measured, after the warm-up",
			ofDuration(&s.Duration), "30s", "5m"),
		key("warmup", "5s", "how long each cell runs before it is measured, in the same schedule",
			ofDuration(&s.Warmup).or(0), "5s", "0s"),
		key("timeout", "30s", "how long to wait for replies after the last message was due",
			ofDuration(&s.Timeout), "30s"),
		key("repeat", "1", "how often to measure each cell, the targets in random order",
			ofCount(&d.Repeat, maxRepeat), 1, 3),
		key("seed", "1", "seed of random arrivals, message contents, and the order of repeats or pairs", ofSeed(&s.Seed), 1),
		key("senders", "1", "threads that send; connections are split among them", ofCount(&s.Senders, maxSenders), 1),
		key("spin", "auto", "how long a sender spins before a message is due, or auto: as the rate and the cores allow",
			ofSpin(&s.Spin), "auto", "50us"),
		key("percentiles", commas(plan.DefaultPercentiles()), "percentiles that you need; the result names those that cannot be relied on",
			ofPercentiles(&s.Percentiles), "50,99,99.9", "99.99"),
		key("slo-observed", "off", "let the measured value of a percentile decide an SLO, whatever its 95 % interval: on, off",
			ofSwitch(&s.SLOObserved), "on", "off"),
		key("floor", "on", "measure first what the tool and the kernel cost alone: on, off",
			ofSwitch(&s.Floor), "on", "off"),
		key("durability", "", "level that an acknowledged message survives, for targets without the option: none, accepted, process, machine or node; see brokerbench durability",
			ofWord(&d.durability, durabilities()), "process", "machine"),
		key("audit", "on", "read the store of each target afterwards, and compare it with the acknowledged messages: on, off",
			ofSwitch(&s.Audit), "on", "off"),
		key("cold", "off", "drop the page cache of this machine before a backlog is read, or once the store is filled, on Linux as root: on, off", ofSwitch(&s.Cold), "on", "off"),
		key("echo", "off", "sender of replies: off (messages come back by themselves: one hop), process (another process on this machine: two hops), or agent (the next agent)",
			ofEcho(&s.Echo), string(plan.EchoProcess)),
	}
}

// durabilities returns the words of the key durability. They are those of
// requester.Durabilities, which this package may not import.
func durabilities() []string { return []string{"none", "accepted", "process", "machine", "node"} }

// axes returns the keys that cells differ in, the one that changes slowest first.
func (d *draft) axes() []Key {
	keys := []Key{
		key("rate,r", "3000", "messages per second over all connections, per minute (6/m) or hour (90/h), or a rate that changes: ramp(1k..20k, 60s), step(1k@10s, 5k@20s), or trace:FILE with a time in seconds on each line",
			ofRate(&d.Shape), 3000, "20k", "0.1/s"),
		key("size,s", "1KiB", "bytes of a message and of its reply, or several sizes with their weights: 256B:90%,64KiB:10%", ofSizes(&d.Shape), "256B", "1KiB"),
		key("connections,c", "1", "connections that share the rate", ofConnections(&d.Connections), 1, 25),
		key("in-flight", "open", "messages in flight at once on one connection, or open for no limit",
			ofCountOr(&d.InFlight, "open", "1..64*2"), 1, "open"),
		key("arrivals", "constant", "how messages are spread over time: constant, poisson, or burst:N (N at the same moment)",
			ofArrivals(&d.Arrivals), string(schedule.Constant), string(schedule.Poisson), "burst:10"),
	}
	t := &d.Topology
	keys = append(keys,
		key("topics", own, "topics to which the connections send, one topic each; with groups 1, else own: a topic, queue or subject for each connection",
			ofCountOr(&t.Topics, own, "1..16*2"), 1, 10),
		key("groups", own, "groups of consumers; every group gets each message; own: a connection consumes its own messages",
			ofCountOr(&t.Groups, own, "1..8*2"), 1, 3),
		key("members", own, "consumers that share the messages of a group; with groups 1, else own",
			ofCountOr(&t.Members, own, "1..8*2"), 1, 4),
		key("backlog", "none", "messages (1M) or bytes (2GiB) that are stored first, while the consumers of group 0 are away; they return when the window begins", ofBacklog(&d.Backlog), "100k", "2GiB"),
		key("until-store", "none", "bytes that the target's store holds, or discards beyond its retention, before the schedule begins; consumers take these messages, too", ofStore(&d.UntilStore), "512MiB", "4GiB"),
	)
	keys = append(keys,
		key("payload", "random", "content of messages: random, compressible(0.5) (to which a compressor reduces them), or file:DIR (each file is a message, without a size)",
			ofPayload(&d.Shape), "random", "compressible(0.5)"),
		key("keys", "none", "keys of messages: how many, their skew, and the share of messages without one, where the system has keys", ofKeys(&d.Keys), "10000 zipf(1.1) null=10%"),
		key("headers", plan.NoHeaders, "headers of each message and the bytes of each, where the protocol has headers", ofHeaders(&d.Headers), "8x32"),
	)
	for i := range keys {
		keys[i].List = true
	}
	return keys
}

// own is the topology in which each connection consumes what it sends.
const own = "own"

// topologyKey is the mapping in a file that holds the axes which inTopology names.
const topologyKey = "topology"

func inTopology(axis string) bool {
	return slices.Contains([]string{"topics", "groups", "members"}, axis)
}

// faultKeys returns the keys of a fault but run, which takes a list. They are no flags of run.
func (d *draft) faultKeys() []Key {
	f := &d.fault
	return []Key{
		key("at", "", "when it begins, from the start of the measured window", ofDuration(&f.At).or(0), "10s"),
		key("do", "", "what breaks: "+strings.Join(texts(plan.FaultKinds()), ", "), ofWord(&f.Do, plan.FaultKinds()), "kill", "slow"),
		key("node", "", "which: leader, any-follower, any, all, or the name of a node", ofNodes(&f.Node), "leader", 2),
		key("for", "", "how long it lasts; until the end of the cell if left out", ofDuration(&f.For).or(0), "5s"),
		key("restart", "", "how long after kill or stop the node starts again; at the end of the cell if left out",
			ofDuration(&f.Restart).or(0), "5s"),
		key("fresh", "", "of power-off: on if nothing is synced before, so that the node's files and topics are at stake too", ofSwitch(&f.Fresh), "on"),
		key("delay", "", "of slow: how much later everything comes, in each direction",
			ofDuration(&f.Delay).or(0), "20ms"),
		key("jitter", "", "of slow: by how much the delay varies, up and down", ofDuration(&f.Jitter).or(0), "5ms"),
		key("loss", "", "of slow: part of the segments that are lost, and sent again", ofLoss(&f.Loss), "1%"),
		key("throttle", "", "of slow: bytes per second that get through, in each direction",
			ofThrottle(&f.Throttle), "1MiB/s"),
		key("pause", "", "consumers: those of brokerbench itself read nothing", ofConsumers(f), plan.Consumers),
	}
}

// nodeKeys returns the keys of a node but name, and command and ready, which take lists.
func (d *draft) nodeKeys() []Key {
	n := &d.node
	return []Key{
		key("address", "", "host and port at which clients reach it; by default the hosts of the url, one after the other",
			ofText(&n.Address), "127.0.0.1:4222"),
		key("pid", "", "the process that the node is already", ofPID(&n.PID), 4711),
		key("container", "", "the container that it is already, as docker calls it", ofText(&n.Container), "nats-1"),
		key("unit", "", "the unit that it is already, as systemctl calls it", ofText(&n.Unit), "redis-server.service"),
		key("pod", "", "the pod that it is already, as kubectl calls it, with its namespace or without",
			ofText(&n.Pod), "kafka-0", "brokers/kafka-0"),
		key("on", "", "the machine that it runs on, reached by ssh; this one by default", ofText(&n.On), "ssh://vm4"),
		key("dir", "", "where the command runs; where brokerbench does by default", ofText(&n.Dir), "/srv/nats"),
		key("data", "", "folder in which it keeps its data", ofText(&n.Data), "/srv/nats/n1"),
		key("log", "", "file that gets the output of the command; a temporary one by default",
			ofText(&n.Log), "n1.log"),
		key("ready-in", "", "how long it may take to be ready; a minute by default", ofDuration(&n.ReadyIn), "90s"),
	}
}

// defaults returns a draft with the default of every key. It panics if one is wrong.
func defaults() *draft {
	d := new(draft)
	for _, k := range append(d.settings(), d.axes()...) {
		if k.Default == "" {
			continue
		}
		if err := k.read(k.Default); err != nil {
			panic("config: default of " + err.Error())
		}
	}
	return d
}

// Words returns the words that are values of the key, for the completion of a shell;
// a word that ends with a colon goes on.
func (k Key) Words() []string { return k.words }

// Usage returns the help of the key's flag.
func (k Key) Usage() string {
	text := k.Help
	if k.sweep != "" {
		text += ", such as " + commas(k.examples) + " or " + k.sweep
	}
	if k.Default != "" {
		text += " (default " + k.Default + ")"
	}
	return text
}

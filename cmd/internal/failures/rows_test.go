//go:build linux

package failures

import (
	"cmp"
	"time"
)

// A broker is a column: a cluster of three at the level of durability that promises to keep
// what was acknowledged when one node is lost.
type broker struct {
	name    string
	slow    bool   // it notices after a while only that its leader is gone, so that an outage shows
	options string // of the target
}

// target is what the program measures. A disk that is to be full is one of the node's own.
func (c *cell) target() string {
	disk := ""
	if c.fault.small { // only then: the loop device costs something
		disk = ",data=256MiB"
	}
	return "local:" + c.broker.name + ",nodes=3,durability=" + cmp.Or(c.fault.level, "node") + disk + c.broker.options
}

func brokers() []broker {
	// With automatic acknowledgements RabbitMQ forgets what was on its way to a consumer whose
	// connection breaks, so that nobody can tell what was lost.
	return []broker{{"nats", true, ""}, {"redis", true, ""}, {"rabbitmq", false, "?prefetch=1000"}, {"kafka", true, ""}}
}

// A fault is a row. It begins at second 5 and is healed 4 s later.
type fault struct {
	name  string
	yaml  string // of the plan, without when it begins
	least time.Duration
	worst time.Duration // the longest response takes so long at least
	slow  bool          // least is for brokers that are slow to notice
	level string        // of durability: node if it is ""
	all   bool          // it hits all nodes at once: the level promises nothing then
	small bool          // each node's data is on a small disk, for which the program has to be root's
	stays string        // a broker that delivers nothing on that connection until its node is restarted, though it keeps all
	long  bool          // brokers need more time until all is well again
}

// lasts is how long is measured.
func (f fault) lasts() time.Duration {
	if f.long {
		return 2 * window
	}
	return window
}

// When a fault begins, and how long is measured.
const (
	rate   = 300
	size   = 1024
	warmup = 2 * time.Second
	window = 20 * time.Second
	begins = 5 * time.Second
	wait   = 25 * time.Second // for what is late
)

// faults are the rows. least is how long acknowledgements or deliveries cease, at least.
func faults() []fault {
	const most = 3500 * time.Millisecond // of the 4 s
	return []fault{
		{name: "kill leader", yaml: "do: kill, node: leader, restart: 4s", least: time.Second, slow: true},
		{name: "kill follower", yaml: "do: kill, node: any-follower, restart: 4s"},
		{name: "kill all", yaml: "do: kill, node: all, restart: 4s", least: most, all: true, long: true},
		{name: "kill all at level accepted", yaml: "do: kill, node: all, restart: 4s", least: most, level: "accepted", all: true, long: true},
		{name: "wipe follower", yaml: "do: wipe, node: any-follower, restart: 2s", long: true},
		{name: "stop leader", yaml: "do: stop, node: leader, restart: 4s"},
		{name: "pause leader", yaml: "do: pause, node: leader, for: 4s", least: time.Second},
		{name: "pause follower", yaml: "do: pause, node: any-follower, for: 4s"},
		{name: "cut all", yaml: "do: cut, node: all, for: 4s", least: most},
		{name: "half-open all", yaml: "do: half-open, node: all, for: 4s", least: most},
		{name: "slow all: delay 50 ms ± 10 ms", yaml: "do: slow, node: all, delay: 50ms, jitter: 10ms, for: 4s", worst: 80 * time.Millisecond},
		{name: "slow all: loss 2 %, throttle 1 MiB/s", yaml: "do: slow, node: all, delay: 5ms, loss: 2%, throttle: 1MiB/s, for: 4s", worst: 10 * time.Millisecond},
		// RabbitMQ's quorum queues end on a node whose disk was full, until it is restarted:
		// https://github.com/rabbitmq/ra/issues/585. See docs/faults.md.
		{name: "fill disk", yaml: "do: fill-disk, node: leader, for: 4s", small: true, stays: "rabbitmq"},
		{name: "pause consumers", yaml: "pause: consumers, for: 4s", least: most},
	}
}

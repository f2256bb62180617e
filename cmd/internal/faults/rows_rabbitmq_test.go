//go:build linux

package faults

import (
	"net/url"
	"syscall"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

// rabbitmqRows are faults of RabbitMQ.
func rabbitmqRows() []row {
	ctl := func(commands ...[]string) func(*attempt) {
		return func(a *attempt) {
			for _, command := range commands {
				a.broker.rabbitmqctl(command...)
			}
		}
	}
	memory := func(limit string) []string { return []string{"set_vm_memory_high_watermark", limit} }
	disk := func(limit string) []string { return []string{"set_disk_free_limit", limit} }
	durable := func(a *attempt) { a.url = with(a.broker.plain, "durable", "true").String() }
	own := func(user string) func(*attempt) {
		return func(a *attempt) {
			ctl([]string{"add_user", user, secret}, []string{"set_permissions", user, ".*", ".*", ".*"})(a)
			u := at(a.broker.plain, a.broker.plain.Host)
			u.User = url.UserPassword(user, secret)
			a.url = u.String()
		}
	}
	const slow = 10 * time.Second // rabbitmqctl takes 2 s, and longer on a busy machine
	return []row{
		{fault: "memory alarm", during: ctl(memory("0.00001")), after: ctl(memory("0.4")), window: slow, exit: []int{4}},
		{fault: "memory alarm that ends", during: ctl(memory("0.00001"), memory("0.4")), window: slow, timeout: slow, exit: []int{0, 4}},
		{fault: "disk alarm", during: ctl(disk("900000000000000")), after: ctl(disk("50000000")), window: slow, exit: []int{4}},
		{fault: "disk alarm that ends", during: ctl(disk("900000000000000"), disk("50000000")), window: slow, timeout: slow, exit: []int{0, 4}},
		{fault: "an alarm from the start", before: ctl(memory("0.00001")), after: ctl(memory("0.4")), exit: []int{1}, unmade: true, late: 40 * time.Second, says: []string{"low on memory"}},
		{fault: "connections closed by hand", during: ctl([]string{"close_all_connections", "maintenance"}), window: slow, exit: []int{0, 4}},
		{
			fault: "user deleted, connections closed", before: own("gone"), window: slow, timeout: slow, exit: []int{4}, leaves: true,
			during: ctl([]string{"delete_user", "gone"}, []string{"close_all_connections", "maintenance"}),
		},
		{fault: "permissions revoked", before: own("weak"), during: ctl([]string{"set_permissions", "weak", "^$", "^$", "^$"}), window: slow, exit: []int{0, 4}, leaves: true},
		{fault: "durable queues deleted", before: durable, during: deleteQueues, exit: []int{0, 4}},
		{fault: "durable queues, killed and started again", before: durable, window: 15 * time.Second, timeout: 12 * time.Second, exit: []int{0, 4}, leaves: true, during: func(a *attempt) {
			a.broker.do("stop", "rabbitmq")
			a.broker.do("start", "rabbitmq")
		}},
		{fault: "durable queues, client killed", before: durable, during: func(a *attempt) {
			time.Sleep(700 * time.Millisecond)
			a.signal(syscall.SIGKILL)
		}, exit: []int{-1}, killed: true},
		{fault: "no such virtual host", before: func(a *attempt) { a.url = a.broker.plain.JoinPath("nowhere").String() }, exit: []int{1}, unmade: true, says: []string{"nowhere"}},
	}
}

func deleteQueues(a *attempt) {
	for _, prefix := range a.prefixes() {
		queues := a.broker.queues(prefix)
		if len(queues) != connections {
			a.fall("%d queues", len(queues))
		}
		for _, queue := range queues {
			_ = a.broker.rabbitmq(func(c *amqp.Channel) error {
				_, err := c.QueueDelete(queue, false, false, false)
				return err
			})
		}
	}
}

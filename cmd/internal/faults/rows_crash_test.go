//go:build linux

package faults

import (
	"syscall"
	"time"
)

// crashes are rows in which the broker's process ends, or stands still.
func crashes(name string) []row {
	do := func(commands ...string) func(*attempt) {
		return func(a *attempt) {
			for _, command := range commands {
				a.broker.do(command, name)
			}
		}
	}
	return []row{
		{fault: "nothing"},
		{fault: "stopped for 2 s", during: func(a *attempt) {
			a.broker.do("pause", name)
			time.Sleep(2 * time.Second)
			a.broker.do("resume", name)
		}},
		{fault: "stopped for good", during: do("pause"), after: do("resume"), exit: []int{4}, leaves: true, late: unanswered},
		{
			fault: "killed and started again", during: do("stop", "start"), window: returns[name], timeout: returns[name] / 2,
			exit: []int{0, 4}, leaves: true,
		},
		{fault: "killed for good", during: do("stop"), after: do("start"), exit: []int{4}, leaves: true},
		{fault: "killed for good, then Ctrl-C", during: func(a *attempt) {
			a.broker.do("stop", name)
			a.signal(syscall.SIGINT)
		}, after: do("start"), exit: []int{130}, leaves: true},
		{fault: "down from the start", before: do("stop"), after: do("start"), exit: []int{1}, unmade: true, says: []string{"start the broker"}},
	}
}

// returns is long enough for a broker to come back within it.
var returns = map[string]time.Duration{
	"nats": 6 * time.Second, "redis": 6 * time.Second, "rabbitmq": 15 * time.Second, "kafka": 15 * time.Second,
}

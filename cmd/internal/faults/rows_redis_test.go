//go:build linux

package faults

import (
	"net"
	"os/exec"
	"strings"
	"syscall"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// redisRows are faults of Redis servers, each of which is the attempt's own.
func redisRows() []row {
	var s *server
	own := func(settings ...string) func(*attempt) {
		return func(a *attempt) {
			s = startRedis(a, settings...)
			a.url = a.plain(s.address)
		}
	}
	cli := func(commands ...string) func(*attempt) {
		return func(a *attempt) {
			_, port, _ := net.SplitHostPort(s.address)
			for _, command := range commands {
				a.broker.tool(exec.Command("redis-cli", append([]string{"-p", port}, strings.Fields(command)...)...))
			}
		}
	}
	return []row{
		{
			fault: "output limit of pub/sub", args: []string{"--size", "64KiB"}, exit: []int{0, 4}, before: func(a *attempt) {
				s = startRedis(a, "--client-output-buffer-limit", "pubsub 1mb 512kb 1")
				a.broker.proxy = linetest.Relay(a.t, relay.Options{Backend: s.address})
				a.url = a.plain(a.broker.proxy.Addr())
			}, during: slowReplies, spoils: true,
		},
		{fault: "clients killed", before: own(), during: cli("client kill type pubsub", "client kill type normal"), exit: []int{0, 4}},
		{fault: "clients paused for 1 s", before: own(), during: cli("client pause 1000 all")},
		{fault: "memory used up", before: own(), during: cli("config set maxmemory 1"), exit: []int{0, 4}},
		{fault: "password changed, connections killed", before: own(), during: cli("config set requirepass other", "-a other client kill type pubsub"), exit: []int{4}},
		{fault: "channels refused from the start", before: func(a *attempt) {
			own()(a)
			cli("acl setuser default resetchannels")(a)
		}, exit: []int{1}, unmade: true, says: []string{"permission"}},
		{fault: "too many connections", before: own("--maxclients", "2"), exit: []int{1}, unmade: true, says: []string{"max number of clients reached"}},
		{fault: "stands still in a script for 1 s", before: own(), during: cli("debug sleep 1")},
		{fault: "shuts down in order", before: own(), during: func(*attempt) { _ = s.process.Signal(syscall.SIGTERM) }, exit: []int{4}},
	}
}

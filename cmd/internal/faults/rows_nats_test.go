//go:build linux

package faults

import (
	"fmt"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// natsRows are faults of NATS servers, each of which is the attempt's own.
func natsRows() []row {
	user := func(more string) string {
		return fmt.Sprintf("authorization { users: [ { user: bench, password: %s %s } ] }\n", secret, more)
	}
	var s *server
	own := func(config string) func(*attempt) {
		return func(a *attempt) {
			s = startNATS(a, config)
			a.url = a.plain(s.address)
		}
	}
	reload := func(config string) func(*attempt) {
		return func(*attempt) { s.reload(config) }
	}
	return []row{
		{
			fault: "permissions revoked", before: own(user("")), exit: []int{4},
			during: reload(user(`, permissions: { publish: { deny: ">" }, subscribe: { deny: "brokerbench.>" } }`)),
		},
		{fault: "permission refused from the start", before: own(user(`, permissions: { publish: { deny: ">" } }`)), exit: []int{1}, unmade: true, says: []string{"ermission"}, late: 40 * time.Second},
		{fault: "user removed", before: own(user("")), during: reload("authorization { users: [ { user: other, password: other } ] }\n"), exit: []int{4}},
		{fault: "lame duck", before: own(user("") + "lame_duck_duration: \"30s\"\nlame_duck_grace_period: \"100ms\"\n"), during: func(*attempt) {
			_ = s.process.Signal(syscall.SIGUSR2)
		}, exit: []int{0, 4}},
		{fault: "largest payload lowered", before: own(user("")), during: reload(user("") + "max_payload: 100\n"), exit: []int{0, 4}},
		{fault: "messages above the largest payload", before: own(user("") + "max_payload: 100\n"), exit: []int{1}, unmade: true, says: []string{"max_payload"}},
		{fault: "too many connections", before: own(user("") + "max_connections: 1\n"), exit: []int{1}, unmade: true, says: []string{"maximum connections exceeded"}},
		{
			fault: "slow consumer", exit: []int{0, 4}, args: []string{"--size", "16KiB"}, before: func(a *attempt) {
				s = startNATS(a, user("")+"max_payload: 100000\nmax_pending: 200000\nwrite_deadline: \"300ms\"\n")
				a.broker.proxy = linetest.Relay(a.t, relay.Options{Backend: s.address})
				a.url = a.plain(a.broker.proxy.Addr())
			}, during: slowReplies, spoils: true,
		},
	}
}

// slowReplies lets replies through at a crawl.
func slowReplies(a *attempt) {
	a.broker.proxy.Pass(func(piece relay.Piece) []byte {
		if !piece.Up {
			time.Sleep(500 * time.Millisecond)
		}
		return piece.Bytes
	})
}

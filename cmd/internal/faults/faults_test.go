//go:build linux

// Package faults is `make faults`: it breaks real brokers, the network to them and
// brokerbench's own environment while the real program measures, and wants the
// same of it every time: the ledger adds up, files are whole, it ends in time with
// the right exit code and a clear last line, leaves nothing behind and tells no
// secret. See attempt.check.
package faults

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// A lane is a list of faults that happen one after another to a broker of its own.
// Lanes run at the same time.
type lane struct {
	name    string // the column of the table; no comma: it is in paths, where Kafka splits them
	broker  string // a name that deploy/local/brokers knows; "" if none is needed
	proxied bool   // the broker tells clients to come through the proxy (Kafka)
	rows    []row
}

// A suite is what all lanes share.
type suite struct {
	program   string // the path of brokerbench
	authority *authority
	table     table
}

// TestFaults is `make faults`.
func TestFaults(t *testing.T) {
	if os.Getenv("BROKERBENCH_FAULTS") != "1" {
		t.Skip("takes ten minutes, and real brokers: make faults")
	}
	hungUp := make(chan os.Signal, 1)
	signal.Notify(hungUp, syscall.SIGHUP)     // under nohup the clients would ignore it
	t.Cleanup(func() { signal.Stop(hungUp) }) // the lanes run when this function has returned
	s := &suite{program: build(t), authority: newAuthority(t)}
	for _, l := range lanes() {
		s.table.lanes = append(s.table.lanes, l.name)
	}
	t.Cleanup(func() { s.table.print(os.Stderr) })
	live := &brokers{}
	live.endWhenInterrupted(t)
	for _, l := range lanes() {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			b := live.add(t, l)
			for _, r := range l.rows {
				t.Run(r.fault, func(t *testing.T) { s.try(t, l, b, r) })
			}
		})
	}
}

func lanes() []lane {
	return []lane{
		{name: "nats", broker: "nats", rows: join(crashes("nats"), network(), setups(), encryption(), clients(), natsRows())},
		{name: "redis", broker: "redis", rows: join(crashes("redis"), network(), setups(), encryption(), clients(), redisRows())},
		{name: "rabbitmq", broker: "rabbitmq", rows: join(crashes("rabbitmq"), network(), setups(), encryption(), clients(), rabbitmqRows())},
		{name: "kafka", broker: "kafka", rows: join(encryption(), clients(), kafkaRows(), crashes("kafka"))},
		{name: "kafka proxied", broker: "kafka", proxied: true, rows: join(network(), setups())},
		{name: "no broker", rows: join(environmentRows(), absurd())},
	}
}

func join(lists ...[]row) (all []row) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// build builds the program once.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "brokerbench")
	out, err := exec.Command("go", "build", "-o", program, "../../brokerbench").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

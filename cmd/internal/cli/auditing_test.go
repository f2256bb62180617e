//go:build linux

package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A stuck system acknowledges and echoes at once. The auditor of its store never returns.
type stuck struct{ auditing func() }

type stuckConn struct {
	reply func([]byte)
	ack   func([]byte)
}

func (stuck) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &stuckConn{reply: sink.Reply, ack: sink.Acked}, nil
}

func (stuck) Store() requester.Store { return requester.Store{} }

func (s stuck) Audit(context.Context, func([]byte)) error {
	s.auditing()
	select {}
}

func (*stuckConn) Traits() requester.Traits         { return requester.Traits{Acknowledges: true} }
func (c *stuckConn) Setup(context.Context) error    { return nil }
func (c *stuckConn) Teardown(context.Context) error { return nil }
func (c *stuckConn) Request(_ context.Context, payload []byte) error {
	c.reply(payload)
	c.ack(payload)
	return nil
}

// One Ctrl-C, or two, end an audit that would never end: at once, with the cell kept and the
// reason said.
func TestAnInterruptEndsAnAudit(t *testing.T) {
	for name, times := range map[string]int{"once": 1, "twice": 2} {
		var at time.Time
		broker := brokers.Broker{
			Name: "stuck", Schemes: []string{"stuck"}, Example: "stuck://h", Summary: "x",
			Options: func(string) []requester.Setting { return nil },
			Open: func(target.Target, string) (requester.Factory, error) {
				return stuck{func() {
					time.AfterFunc(time.Second, func() {
						at = time.Now()
						for range times {
							_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
							time.Sleep(50 * time.Millisecond)
						}
					})
				}}, nil
			},
		}
		var out, errs strings.Builder
		dir := t.TempDir()
		args := []string{"run", "stuck://h", "--out", dir, "--rate", "100", "--duration", "500ms", "--warmup", "0s", "--floor", "off"}
		code := Main(args, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Brokers: append(brokers.All(), broker)})
		if took := time.Since(at); at.IsZero() || took > 2*time.Second {
			t.Errorf("%s: %v after Ctrl-C", name, took)
		}
		wantCode(t, code, command.ExitInterrupted, errs.String())
		wantTexts(t, out.String(), "it was interrupted")
		cell, err := results.OpenCell(onlyFolder(t, filepath.Join(onlyFolder(t, dir), results.CellsFolder))).Read()
		if err != nil || cell.Interrupted || cell.Ledger.Done != 50 || cell.Audit == nil || cell.Audit.Acked != 50 || cell.Audit.Error == "" {
			t.Errorf("%s: %+v, %v", name, cell, err)
		}
	}
}

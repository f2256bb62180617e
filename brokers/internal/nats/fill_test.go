package nats

import (
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/brokerbench/brokerbench/results"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

func TestAStoreIsFilled(t *testing.T) {
	b := serveStreams(t, nil)
	for _, options := range []string{"stream=file", "stream=memory&consumer=pull"} {
		t.Run(options, func(t *testing.T) { brokertest.Filled(t, Open, b.url("", ""), options) })
	}
}

// A stream is no larger than the server permits: its limit is refused before anything is sent.
func TestARetentionThatTheServerRefuses(t *testing.T) {
	b := serveStreams(t, func(o *server.Options) { o.JetStreamMaxStore = 16 << 20 })
	err := requestertest.NewLink(t, open(t, b, "", "?stream=file&retention=64MiB"), 0).Begin()
	brokertest.WantError(t, err, "creating stream", "insufficient storage")
}

// lose removes the last message but so many of connection 0 from the stream.
func lose(t *testing.T, f *Factory, but uint64) {
	err := f.withJetStream(t.Context(), func(js jetstream.JetStream) error {
		stream, err := js.Stream(t.Context(), f.stream.Name)
		if err != nil {
			return err
		}
		for seq := stream.CachedInfo().State.LastSeq; seq > 0; seq-- {
			m, err := stream.GetMsg(t.Context(), seq)
			if err != nil {
				return err
			}
			if stamp, ok := requester.ReadStamp(m.Data); ok && stamp.Conn == 0 {
				if but--; but == 0 {
					return stream.DeleteMsg(t.Context(), seq)
				}
			}
		}
		return errors.New("there is no such message")
	})
	if err != nil {
		t.Error(err)
	}
}

// A message that the server loses is found, whether its limit discards only messages that filled the stream, or those of
// the cell, too. The limit is three seconds of messages: it decides nothing of those within
// the slowest acknowledgement.
func TestALossBesideALimitIsFound(t *testing.T) {
	b := serveStreams(t, nil)
	for rate, discards := range map[schedule.Rate]bool{250: false, 2000: true} {
		f := open(t, b, "", "?stream=file&retention=24MiB")
		cell := plan.Cell{
			Target:   plan.Target{Name: "nats"},
			Shape:    plan.Shape{Rate: rate, Arrivals: schedule.Constant, Size: 4 << 10, Connections: 2, UntilStore: 64 << 20},
			Settings: plan.Settings{Duration: 5 * time.Second, Timeout: 10 * time.Second, Audit: true},
		}
		c, err := measure.Cell(t.Context(), f, cell, measure.Options{Settled: func() { lose(t, f, 50) }})
		if err != nil {
			t.Fatal(err)
		}
		a, slow := c.Audit, time.Duration(c.Ack.MaxNS) > 2*time.Second // the machine stood still
		found := a.Missing == 1 && a.First.Conn == 0 || a.Missing == 0 && slow
		if a.Error != "" || !found || (a.Discarded > 0) != discards || a.Acked != a.Kept+a.Missing+a.Discarded || c.StoreFill.End != results.FillDiscards {
			t.Errorf("%v: audit %+v, %+v, acknowledged within %v", rate, a, c.StoreFill, time.Duration(c.Ack.MaxNS))
		}
	}
}

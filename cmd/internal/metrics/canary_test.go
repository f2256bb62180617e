package metrics

import (
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/canary"
	"github.com/brokerbench/brokerbench/requester/load"
)

func TestTheMetricsOfACanary(t *testing.T) {
	c := NewCanary("nats://h:4222")
	s, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Instead(c)
	serveUntilTheEnd(t, s)
	h := canary.NewHistograms()
	for range 10 {
		h[canary.Response].Record(3 * time.Millisecond)
		h[canary.Service].Record(2 * time.Millisecond)
	}
	now := canary.Snapshot{Histograms: h, Ledger: load.Ledger{Due: 15, Done: 10, Failed: 1, Lost: 2, Unsent: 2}, NotMeasured: 7, Up: true, Unmeasured: time.Minute}
	now.Acks.Missing = 1
	c.Show(now)
	now.Ledger.Lost, now.Unwritten = 1, errors.New("full") // one came back late
	c.Show(now)
	families := scrape(t, s)
	if n := families["brokerbench_canary_response_seconds"].GetMetric()[0].GetHistogram().GetSampleCount(); n != 10 {
		t.Errorf("%d responses", n)
	}
	got := make(map[string]float64)
	for _, m := range families["brokerbench_canary_messages_total"].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == "outcome" {
				got[l.GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	for outcome, want := range map[string]float64{"done": 10, "failed": 1, "lost": 2, "unsent": 2, "not_measured": 7} {
		if got[outcome] != want {
			t.Errorf("%s: %v, want %v: a counter does not go back", outcome, got[outcome], want)
		}
	}
	for name, want := range map[string]float64{"up": 1, "written": 0} {
		if v := families["brokerbench_canary_"+name].GetMetric()[0].GetGauge().GetValue(); v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	for name, want := range map[string]float64{"acked_lost_total": 1, "unmeasured_seconds_total": 60} {
		if v := families["brokerbench_canary_"+name].GetMetric()[0].GetCounter().GetValue(); v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
}

package canary

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/canary"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

func row(p canary.Period, done, lost int) canary.Row {
	h := histogram.New()
	for i := range done {
		h.Record(time.Millisecond + time.Duration(i)*time.Microsecond)
	}
	l := load.Ledger{Due: int64(done + lost), Done: int64(done), Lost: int64(lost)}
	d := results.NewDistribution(h, l.Missing())
	return canary.Row{Period: p, Ledger: l, NotMeasured: 5, Response: d, Service: d}
}

func TestShow(t *testing.T) {
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	ack := row("2026-11", 2000, 1).Response
	span := canary.Span{From: at, To: at.Add(90 * time.Second), Cause: "the canary or its machine was down", Due: 900}
	r := canary.Report{
		Schema: canary.ReportSchema, Target: "nats://h:4222", Shape: "10/s × 1 KiB × 1 connection, open in flight", Created: at, Until: at.Add(time.Hour),
		Months: []canary.Month{
			{
				Row: row("2026-11", 2000, 1), Lag: row("2026-11", 10, 0).Response, Ack: &ack, Gaps: []canary.Span{span}, Dropped: 2,
				Outages: []canary.Span{{From: at, To: at.Add(time.Second), Cause: "connection refused", Due: 10}},
				Strays:  load.Strays{Duplicate: 1}, Failures: []load.Failure{{Cause: "no", Count: 3}}, Notes: []string{"the clock was set back by 1h"},
			},
			{Row: row("2026-10", 30000, 0), Lag: row("2026-10", 10, 0).Response},
		},
		Days:  []canary.Row{row("2026-11-27", 2000, 1)},
		Worst: []canary.Row{row("2026-11-27T12", 2000, 1)},
	}
	r.Months[0].Acks = load.AckLedger{Acked: 2001, Delivered: 2000, Missing: 1}
	d := Show(r)
	golden.Check(t, "report.txt", d.Text())
	if text := Show(canary.Report{}).Text(); !strings.Contains(text, "nothing is measured yet") {
		t.Error(text)
	}
}

package merge

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// Parts that no agent can have measured are refused before they are merged, in a moment.
func TestAPartThatCannotBeIsRefused(t *testing.T) {
	cell := shared(schedule.Poisson)
	whole := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	for _, p := range whole {
		if err := p.Check(cell, 2); err != nil {
			t.Fatal(err)
		}
	}
	line := func(tag string, at time.Duration, values int64) string {
		var text strings.Builder
		h := histogram.New()
		for range values {
			h.Record(ms)
		}
		if err := histogram.NewLogWriter(&text, time.Unix(1, 0)).Write(tag, at, at+time.Second, h); err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(text.String(), `"Interval_Max","Interval_Compressed_Histogram"`+"\n")
		return body
	}
	for name, tt := range map[string]struct {
		change func(*Part)
		more   string // after the log
		want   string
	}{
		"a line after the end":    {nil, line("response", 4_000_000_000*time.Second, 1), "its interval log has a line at 1111111h6m40s"},
		"more warm-up than due":   {nil, line("warmup", 0, 10_000), "values of warmup, and"},
		"no line":                 {nil, "response,1,2\n", "reading the interval log"},
		"a ledger of another":     {func(p *Part) { p.Cell.Ledger.Due++; p.Cell.Ledger.Done++ }, "", "the ledger of its window is"},
		"a ledger of nothing":     {func(p *Part) { p.Cell.Ledger = results.Ledger{} }, "", "the ledger of its window is"},
		"less than nothing":       {func(p *Part) { p.Cell.Ledger.Done += 5; p.Cell.Ledger.Lost -= 5 }, "", "the ledger of its window is"},
		"a ledger that is wrong":  {func(p *Part) { p.Cell.Ledger.Lost++ }, "", "the ledger does not add up"},
		"a warm-up of another":    {func(p *Part) { p.Cell.WarmupLedger = results.Ledger{} }, "", "the ledger of its warm-up is"},
		"a cell of a century":     {func(p *Part) { p.Cell.ElapsedNS = 1 << 61 }, "", "are the most"},
		"before its start":        {func(p *Part) { p.First = -1 }, "", "its first message was"},
		"a start after its end":   {func(p *Part) { p.Clock.LateNS = 1 << 60 }, "", "its first message was"},
		"another longest":         {func(p *Part) { p.Cell.Response.MaxNS *= 1000 }, "", "the agents' response"},
		"another number":          {func(p *Part) { p.Cell.Response.Count-- }, "", "fewer values of response"},
		"a million leftovers":     {func(p *Part) { p.Cell.Left = make([]string, 1_000_000) }, "", "1000000 leftovers"},
		"a million kinds of loss": {func(p *Part) { p.Cell.Failures = make([]load.Failure, 1_000_000) }, "", "1000000 kinds of failures"},
	} {
		p := whole[1]
		c := *p.Cell
		p.Cell = &c
		p.Log = func() (io.ReadCloser, error) {
			file, err := whole[1].Log()
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(file)
			return io.NopCloser(strings.NewReader(string(text) + tt.more)), err
		}
		if tt.change != nil {
			tt.change(&p)
		}
		if err := p.Check(cell, 2); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// The largest result that brokerbench writes, of 100,000 connections that all broke and left
// something, passes.
func TestTheLargestResultPasses(t *testing.T) {
	out := load.Outcome{Start: time.Unix(1, 0)}
	long := strings.Repeat("refused <by> ", 1000)
	for range 200_000 {
		out.Events = append(out.Events, requester.Event{At: out.Start, Text: long})
		out.Left = append(out.Left, "queue "+long)
	}
	for range mostFailures {
		out.Failures = append(out.Failures, load.Failure{Cause: long, Count: 1})
	}
	cell := shared(schedule.Constant)
	dir, to := newFolder(t, "agent"), newFolder(t, "coordinator")
	err := dir.Save(record.Result(cell, cell.ID(), out, record.NewHistograms(), func(text string) string { return text }))
	var packed []byte
	if err == nil {
		packed, err = wire.Pack(dir.Dir())
	}
	if err == nil {
		err = wire.Unpack(bytes.NewReader(packed), to.Dir(), 64<<20)
	}
	if err != nil {
		t.Fatal(err)
	}
	c, err := to.Read()
	if err != nil || len(c.Events) != mostEvents || len(c.Failures) != mostFailures || len(c.Left) != mostLeft || !strings.HasSuffix(c.Left[mostLeft-1], "… and 199000 more") {
		t.Errorf("%v: %d events, %d failures, %d leftovers", err, len(c.Events), len(c.Failures), len(c.Left))
	}
}

// Whatever passes can be merged.
func FuzzCheck(f *testing.F) {
	cell := shared(schedule.Constant)
	cell.Settings.Duration, cell.Settings.Warmup, cell.Shape.Rate, cell.Shape.Connections = 2*time.Second, 0, 10, 1
	part := madeUp(f, 0, 2, 10)
	if err := part.Check(cell, 1); err != nil {
		f.Fatal(err)
	}
	file, err := part.Log()
	if err != nil {
		f.Fatal(err)
	}
	log, err := io.ReadAll(file)
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(part.Cell)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, log, int64(0), int64(1))
	f.Fuzz(func(t *testing.T, text, log []byte, first, last int64) {
		p := Part{Agent: results.Agent{Name: "a1"}, Cell: new(results.Cell), First: time.Duration(first), Last: time.Duration(last)}
		p.Log = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(log)), nil }
		if json.Unmarshal(text, p.Cell) != nil || p.Check(cell, 1) != nil {
			return
		}
		if _, err := Cell(cell, time.Unix(1, 0), []Part{p}, Options{}); err != nil {
			t.Error(err)
		}
	})
}

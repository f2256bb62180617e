package verify

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

func named(t *testing.T, name string, serial bool) Scenario {
	t.Helper()
	for _, s := range Scenarios(Settings{Duration: 2 * time.Second}) {
		if strings.HasPrefix(s.Name, name) && s.serial() == serial {
			return s
		}
	}
	t.Fatalf("no scenario %q", name)
	return Scenario{}
}

// Each mistake of an engine is found in the row that is there for it, also in the
// midst of noise.
func TestMistakes(t *testing.T) {
	stalled, end, dropped := named(t, "a stall of 400ms", true), named(t, "a stall of 400ms that begins", false), named(t, "2 %", false)
	four, helded := named(t, "a stall of 400ms, four", false), named(t, "a sender held", false)
	for _, tt := range []struct {
		name     string
		scenario Scenario
		spoil    func(*run)
		row      string
	}{
		{"coordinated omission", stalled, func(r *run) {
			for i := range r.messages {
				if op := r.messages[i].op; op != nil && op.Lag() > ms {
					op.Due = op.Sent
				}
			}
			r.report()
		}, "on schedule"},
		{"the last stall forgiven", end, func(r *run) {
			r.elapsed = r.cell.Settings.Warmup + r.cell.Settings.Duration
			for i := range r.messages {
				if op := r.messages[i].op; op != nil && op.Done > r.elapsed {
					r.messages[i].op = nil
				}
			}
			r.report()
		}, "ended"},
		{"the lost forgotten", dropped, func(r *run) {
			r.result.Ledger.Due, r.result.Ledger.Lost = r.result.Ledger.Done, 0
		}, "due"},
		{"service in response's place", stalled, func(r *run) { r.replace(responseTag, r.reported[serviceTag]) }, "response, bucket by bucket"},
		{"one percentile too low", stalled, func(r *run) {
			i := slices.IndexFunc(r.result.Response.Percentiles, func(p results.Percentile) bool { return p.Percentile == 99 })
			*r.result.Response.Percentiles[i].ValueNS /= 2
		}, "p99"},
		{"lag left out", helded, func(r *run) { r.replace(lagTag, histogram.New()) }, "lag, bucket by bucket"},
		{"sent when it was due", helded, func(r *run) {
			for i := range r.messages {
				r.messages[i].op.Sent = r.messages[i].due
			}
			r.report()
		}, "sent in time"},
		{"a connection forgotten", four, func(r *run) {
			for i := range r.messages {
				if m := &r.messages[i]; m.conn == 3 {
					*m = message{conn: 3, seq: m.seq, due: m.due, before: m.before}
				}
			}
			r.report()
			r.result.Ledger.Due -= r.result.Ledger.Lost
			r.result.Ledger.Lost = 0
		}, "not forgotten"},
		{"a reply taken and not done", stalled, func(r *run) { r.messages[70].op = nil; r.report() }, "not forgotten"},
		{"done too soon", stalled, func(r *run) { r.messages[70].op.Done -= ms; r.report() }, "done in time"},
		{"done too late", stalled, func(r *run) { r.messages[70].op.Done += time.Second; r.report() }, "done in time"},
		{"a message sent twice", stalled, func(r *run) { r.again++ }, "sent in time"},
		{"the system answers too soon", stalled, func(r *run) { r.messages[70].left = r.messages[70].came }, "as configured"},
	} {
		for seed := range uint64(5) {
			r := simulate(tt.scenario, busy(seed))
			tt.spoil(r)
			c := r.check(tt.scenario.Name, predict(tt.scenario), "a doubt")
			i := slices.IndexFunc(c.Rows, func(row Row) bool { return row.Name == tt.row })
			if c.Answer != Disagrees || i < 0 || c.Rows[i].Agrees || c.Rows[i].Where == "" {
				t.Errorf("%s, seed %d: %s; disagreeing are %q, want %s", tt.name, seed, c.Answer, disagreeing(c), tt.row)
			}
		}
	}
}

func TestSum(t *testing.T) {
	for _, tt := range []struct {
		answers []Answer
		want    Answer
	}{
		{nil, Agrees},
		{[]Answer{Agrees, Agrees}, Agrees},
		{[]Answer{Agrees, Inconclusive, Agrees}, Inconclusive},
		{[]Answer{Inconclusive, Disagrees, Agrees}, Disagrees},
	} {
		var checks []Check
		for _, a := range tt.answers {
			checks = append(checks, Check{Answer: a})
		}
		if got := Sum(checks); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.answers, got, tt.want)
		}
	}
}

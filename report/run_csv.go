package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// runTable has a row for each cell, and below it one for each agent that measured a part of
// it, whose name is in the column agent. The column behind a percentile says how many
// messages rank above it.
func runTable(cells []*results.Cell) document.Table {
	t := document.Table{Head: []string{
		"cell", "target", "product", "version", "rate_per_s", "reached_per_s", "size_bytes", "connections", "in_flight",
		"arrivals", "repeat", "due", "done", "failed", "lost", "unsent", "duplicate", "foreign", "corrupt",
	}}
	for _, p := range results.Percentiles() {
		name := "response_p" + number(p)
		t.Head = append(t.Head, name+"_ns", name+"_above", name+"_low_ns", name+"_high_ns")
	}
	t.Head = append(t.Head, "service_p99_ns", "lag_p99_ns", "held_p99_ns", "floor_p50_ns", "floor_p99_ns", "floor_p99.9_ns",
		"hiccup_max_ns", "tail_seconds", "tail_seconds_with_hiccup", "process_cores", "machine_cores", "verdict", "problems", "slos",
		"usable_cores", "spin_ns", "not_judged")
	for _, p := range results.Percentiles() {
		name := "response_p" + number(p)
		t.Head = append(t.Head, name+"_use", name+"_limited_by", name+"_events")
	}
	t.Head = append(t.Head, "pauses", "pause_least_ns", "pauses_at_most_per_s", "p50_change")
	t.Head = append(t.Head, promiseHead()...)
	t.Head = append(t.Head, publishedHead()...)
	t.Head = append(t.Head, costHead()...)
	t.Head = append(t.Head, faultsHead()...)
	t.Head = append(t.Head, echoHead()...)
	t.Head = append(t.Head, agentsHead()...)
	for _, c := range cells {
		t.Rows = append(t.Rows, append(runRow(c), spreadFields(c)...))
		for _, a := range c.Agents {
			t.Rows = append(t.Rows, append(runRow(partOf(c, a)), agentFields(a)...))
		}
	}
	return t
}

func runRow(c *results.Cell) []string {
	s := c.Plan.Shape
	row := []string{
		c.ID, c.Plan.Target.Name, c.Broker.Product, c.Broker.Version, number(float64(s.Rate)), number(c.ReachedPerS),
		strconv.Itoa(s.Size), strconv.Itoa(s.Connections), strconv.Itoa(s.InFlight), string(s.Arrivals), strconv.Itoa(c.Plan.Repeat),
	}
	row = append(row, ledgerFields(c.Ledger)...)
	row = append(row, integer(c.Strays.Duplicate), integer(c.Strays.Foreign), integer(c.Strays.Corrupt))
	for _, p := range results.Percentiles() {
		at, _ := c.Response.At(p)
		row = append(row, known(at.ValueNS, integer), integer(at.SamplesAbove), known(at.LowNS, integer), known(at.HighNS, integer))
	}
	service, _ := c.Service.At(99)
	lag, _ := c.Lag.At(99)
	held, _ := c.Held.At(99)
	row = append(row, known(service.ValueNS, integer), known(lag.ValueNS, integer), known(held.ValueNS, integer))
	usable := ""
	if c.UsableCores > 0 {
		usable = number(c.UsableCores)
	}
	row = append(append(row, trustFields(c)...), string(c.Verdict),
		joined(c.Problems, func(p results.Problem) string { return fmt.Sprintf("%s (%s): %s", p.Code, p.Severity, p.Text) }),
		joined(c.SLOs, func(s results.SLO) string { return fmt.Sprintf("%v %s: %s", s.Objective, s.Outcome, s.Text) }),
		usable, integer(c.SpinNS), lacking(c.NotJudged))
	for _, p := range results.Percentiles() {
		at, _ := c.Response.At(p)
		events := ""
		if at.Events > 0 {
			events = number(at.Events)
		}
		row = append(row, string(at.Use), joined(at.LimitedBy, func(c results.Code) string { return string(c) }), events)
	}
	return slices.Concat(row, steadyFields(c), promiseFields(c), percentileFields(c.Published), costFields(c), faultFields(c), echoFields(c))
}

// promiseHead names what promiseFields writes.
func promiseHead() (head []string) {
	for _, series := range []string{"ack", "complete"} {
		for _, p := range results.Percentiles() {
			head = append(head, series+"_p"+number(p)+"_ns")
		}
	}
	return append(head, "durability", "durability_asked", "acked", "kept", "broken", "unacked", "early", "disordered",
		"audit_acked", "audit_kept", "audit_missing", "audit_unacked", "audit_duplicates", "audit_error", "audit_delivered")
}

// publishedHead names the percentiles of when messages were on the socket.
func publishedHead() (head []string) {
	for _, p := range results.Percentiles() {
		head = append(head, "published_p"+number(p)+"_ns")
	}
	return head
}

// percentileFields writes the percentiles of a distribution; nothing of nil.
func percentileFields(d *results.Distribution) (fields []string) {
	for _, p := range results.Percentiles() {
		field := ""
		if d != nil {
			at, _ := d.At(p)
			field = known(at.ValueNS, integer)
		}
		fields = append(fields, field)
	}
	return fields
}

// promiseFields writes when messages were acknowledged, and what became of them; nothing of
// a target that acknowledges nothing.
func promiseFields(c *results.Cell) []string {
	fields := make([]string, 0, len(promiseHead()))
	for _, d := range []*results.Distribution{c.Ack, c.Complete} {
		fields = append(fields, percentileFields(d)...)
	}
	if b := c.Broker.Durability; b != nil {
		fields = append(fields, string(b.Level), string(b.Asked))
	} else {
		fields = append(fields, "", "")
	}
	if p := c.Promises; p != nil {
		fields = append(fields, integer(p.Acked), integer(p.Kept), integer(p.Broken), integer(p.Unacked), integer(p.Early), integer(p.Disordered))
	} else {
		fields = append(fields, make([]string, 6)...)
	}
	if a := c.Audit; a != nil {
		return append(fields, integer(a.Acked), integer(a.Kept), integer(a.Missing), integer(a.Unacked), integer(a.Duplicates), a.Error, integer(a.Delivered))
	}
	return append(fields, make([]string, 7)...)
}

// steadyFields writes the pauses of a cell and how its median moved; what is not known
// is empty.
func steadyFields(c *results.Cell) []string {
	fields := make([]string, 4)
	if p := c.Pauses; p != nil {
		fields[0], fields[1], fields[2] = integer(p.Count), integer(p.LeastNS), ""
	}
	if p := c.Pauses; p != nil && p.AtMostPerS > 0 {
		fields[2] = number(p.AtMostPerS)
	}
	if c.Steady != nil {
		fields[3] = number(c.Steady.P50Change)
	}
	return fields
}

// trustFields writes what may be in the numbers besides the broker; what is not
// known is empty.
func trustFields(c *results.Cell) []string {
	fields := make([]string, 8)
	if c.Floor != nil {
		for i, p := range []float64{50, 99, 99.9} {
			at, _ := c.Floor.Echo.Response.At(p)
			fields[i] = known(at.ValueNS, integer)
		}
	}
	if c.Hiccup != nil {
		fields[3] = integer(c.Hiccup.MaxNS)
	}
	if c.Tail != nil {
		fields[4], fields[5] = strconv.Itoa(c.Tail.Intervals), strconv.Itoa(c.Tail.WithHiccup)
	}
	if c.Usage != nil {
		fields[6] = number(c.Usage.Process.CPUCores)
		if c.Usage.Machine != nil {
			fields[7] = number(c.Usage.Machine.BusyCores)
		}
	}
	return fields
}

// joined writes several things in one field.
func joined[T any](list []T, write func(T) string) string {
	texts := make([]string, len(list))
	for i, each := range list {
		texts[i] = write(each)
	}
	return strings.Join(texts, "; ")
}

package exchange

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// A family is a metric with its samples, all gauges.
type family struct {
	name, unit, help string
	samples          []string
}

// add adds a sample with pairs of labels and values.
func (f *family) add(value float64, labels ...string) {
	var list []string
	for i := 0; i < len(labels); i += 2 {
		list = append(list, labels[i]+`="`+escaped.Replace(labels[i+1])+`"`)
	}
	f.samples = append(f.samples, fmt.Sprintf("%s{%s} %s", f.name, strings.Join(list, ","), strconv.FormatFloat(value, 'g', -1, 64)))
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// The places of the families.
const (
	values = iota
	lows
	highs
	unknown
	messages
	reached
	verdicts
)

// openMetrics writes a gauge for each number.
func openMetrics(a *answer.Answer) string {
	b := new(strings.Builder)
	list := []family{
		values:   {name: "brokerbench_response_percentile_seconds", unit: "seconds", help: "Time from due until the reply, of all repeats; percentile max is the longest reply, and note says why not to rely on it."},
		lows:     {name: "brokerbench_response_percentile_low_seconds", unit: "seconds", help: "Lower end of the 95 % confidence interval."},
		highs:    {name: "brokerbench_response_percentile_high_seconds", unit: "seconds", help: "Upper end of the 95 % confidence interval."},
		unknown:  {name: "brokerbench_response_percentile_unknown", help: "1 for a percentile without a value, with the reason."},
		messages: {name: "brokerbench_messages", help: "Messages that were due, by their state."},
		reached:  {name: "brokerbench_reached_messages_per_second", help: "Messages done per second, the least of the repeats."},
		verdicts: {name: "brokerbench_verdict", help: "1 for the worst verdict of the repeats."},
	}
	for _, l := range all(a) {
		l.sample(list)
	}
	for _, f := range list {
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %[1]s gauge\n", f.name, f.help)
		if f.unit != "" {
			fmt.Fprintf(b, "# UNIT %s %s\n", f.name, f.unit)
		}
		for _, sample := range f.samples {
			b.WriteString(sample + "\n")
		}
	}
	b.WriteString("# EOF\n")
	return b.String()
}

// sample adds the samples of a target under one load.
func (l loaded) sample(list []family) {
	labels := []string{"target", l.Name, "load", l.shape.Title}
	with := func(more ...string) []string { return append(labels[:len(labels):len(labels)], more...) }
	for _, n := range l.Response {
		p := words.Percentile(n.Percentile)
		if n.NS == nil {
			list[unknown].add(1, with("percentile", p, "note", mark(n))...)
			continue
		}
		list[values].add(seconds(*n.NS), with("percentile", p, "usable", strconv.FormatBool(n.Usable), "note", mark(n))...)
		for i, bound := range map[int]*int64{lows: n.LowNS, highs: n.HighNS} {
			if bound != nil {
				list[i].add(seconds(*bound), with("percentile", p)...)
			}
		}
	}
	for _, part := range []struct {
		state string
		n     int64
	}{{"done", l.Ledger.Done}, {"failed", l.Ledger.Failed}, {"lost", l.Ledger.Lost}, {"unsent", l.Ledger.Unsent}} {
		list[messages].add(float64(part.n), with("state", part.state)...)
	}
	list[reached].add(l.Reached, labels...)
	list[verdicts].add(1, with("verdict", string(l.Verdict))...)
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/compare"
)

// everything is a comparison that has one of each: all answers and methods, an
// INVALID cell, missing ops, cells of one side, what differs, and conditions.
func everything(t *testing.T) []*compare.Comparison {
	kafka := func(name string) func(*results.Cell) {
		return func(c *results.Cell) {
			c.Plan.Target.Name, c.Broker = "kafka", results.Broker{Product: "Kafka", Version: "4.3.1"}
			with("acks", name)(c)
		}
	}
	base := joined(three(1), three(1, rate(2000)), three(1, rate(3000)), three(1, rate(4000)), three(1, kafka("1")))
	base.Trials = append(base.Trials, withSeries(made(1, 1, rate(5000)), 12), made(1, 1, rate(6000)))
	next := joined(three(1.2), three(0.8, rate(2000)), three(1.005, rate(3000), lost(40), judged(results.Suspect)),
		three(1, rate(4000), judged(results.Invalid), lost(9000)), three(1.1, kafka("all")))
	next.Trials = append(next.Trials, withSeries(made(1, 2, rate(5000)), 12))
	next.Trials = append(next.Trials, made(1, 1, rate(7000)), made(1, 1, rate(8000)))
	base.Dir, next.Dir = "results/before", "results/after|<b>"
	base.Run.Started = time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC)
	next.Run.Environment.Kernel = "6.2"
	o := compare.Options{Force: true, FailOn: []compare.Condition{condition(t, "p99>10%"), condition(t, "max>500%"), condition(t, "p99.99>1%")}}
	second := set(three(1.001)...)
	return []*compare.Comparison{compared(t, base, next, o), compared(t, set(three(1)...), second, compare.Options{})}
}

func TestGolden(t *testing.T) {
	list := everything(t)
	for name, show := range map[string]func(io.Writer, ...*compare.Comparison) error{
		"all.txt": compare.Table, "all.md": compare.Markdown, "all.csv": compare.CSV, "all.json": compare.JSON,
	} {
		var got bytes.Buffer
		if err := show(&got, list...); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, name, got.String())
	}
}

// JSON is read back as what was written.
func TestJSONRoundTrip(t *testing.T) {
	var b bytes.Buffer
	list := everything(t)
	if err := compare.JSON(&b, list...); err != nil {
		t.Fatal(err)
	}
	var got struct{ Comparisons []*compare.Comparison }
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Comparisons, list) {
		t.Errorf("got %+v, want %+v", got.Comparisons, list)
	}
}

// An answer comes with its ratio and interval, never with a percentage.
func TestNoBarePercentage(t *testing.T) {
	for _, show := range []func(io.Writer, ...*compare.Comparison) error{compare.Table, compare.Markdown} {
		var b bytes.Buffer
		if err := show(&b, compared(t, set(three(1)...), set(three(1.2)...), compare.Options{})); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, "slower") && strings.Contains(line, "p99 ") && (strings.Contains(line, "%") || !strings.Contains(line, "1.200")) {
				t.Errorf("%q", line)
			}
		}
		if !strings.Contains(b.String(), "1.200") || strings.Count(b.String(), "%") != 1 {
			t.Errorf("want the ratio, and no percentage but that of confidence:\n%s", b.String())
		}
	}
}

// A table has as many fields in each row as in its head, whatever names hold.
func TestMarkdownOfHostileNames(t *testing.T) {
	hostile := target("a|b\n<script>`*_[x]", "NATS")
	base, next := set(three(1, hostile)...), set(three(1, hostile, with("x|y", "<img src=x>\n| z |"))...)
	var b bytes.Buffer
	if err := compare.Markdown(&b, compared(t, base, next, compare.Options{})); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		bars := strings.Count(line, "|") - strings.Count(line, `\|`)
		if strings.HasPrefix(line, "|") && bars != 8 {
			t.Errorf("%d fields: %q", bars-1, line)
		}
	}
	if strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "<img") {
		t.Errorf("HTML went through:\n%s", b.String())
	}
}

func TestWriteErrors(t *testing.T) {
	list := everything(t)
	for _, show := range []func(io.Writer, ...*compare.Comparison) error{compare.Table, compare.Markdown, compare.CSV, compare.JSON} {
		if err := show(full{}, list...); !errors.Is(err, errFull) {
			t.Errorf("error %v, want %v", err, errFull)
		}
	}
}

func TestNothingToJudge(t *testing.T) {
	var b bytes.Buffer
	c := compared(t, set(three(1)...), set(three(1, judged(results.Invalid))...), compare.Options{})
	if err := compare.Table(&b, c); err != nil || !strings.Contains(b.String(), "No percentile can be judged") || strings.Contains(b.String(), "confidence") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// One cell that is alone on both sides, of other shapes, is named by both.
func TestNamesOfForcedPairs(t *testing.T) {
	c := compared(t, set(three(1)...), set(three(1, shaped(func(s *plan.Shape) { s.Size = 64 }))...), compare.Options{Force: true})
	var b bytes.Buffer
	if err := compare.Table(&b, c); err != nil || !strings.Contains(b.String(), "nats-1000-1024B-c1-fopen → nats-1000-64B-c1-fopen: 3 runs against 3") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

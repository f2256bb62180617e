package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const (
	us = time.Microsecond
	ms = time.Millisecond

	floorTook = 2500 * ms
)

// cells returns those of a run of three.
func cells() []plan.Cell {
	p := plan.Plan{
		Targets:  []plan.Target{{Name: "nats"}, {Name: "redis"}, {Name: "kafka"}},
		Shapes:   []plan.Shape{{Rate: 3000, Size: 1024, Connections: 1}},
		Settings: plan.Settings{Warmup: 5 * time.Second, Duration: 30 * time.Second, Timeout: 30 * time.Second},
	}
	return p.Cells()
}

// at returns how far a cell is after so long, as a run at 3,000/s would be.
func at(elapsed time.Duration) measure.Progress {
	now := measure.Progress{
		Cell: cells()[0], Elapsed: elapsed, Total: 35 * time.Second, Interval: elapsed%time.Second == 0,
		Due: int64(3000 * elapsed.Seconds()), Outstanding: 3, RateNow: 2998.6, HiccupMax: 812 * us,
	}
	if done := elapsed - 5*time.Second; done > 0 {
		now.Done = int64(3000*done.Seconds()) - 3
		now.P50, now.P99, now.P999, now.Max = 81*us, 352*us, 1204*us, 1234567*us
		now.LagP99, now.Verdict = 21*us, results.Valid
		now.Problems = []results.Problem{{Code: "shared-machine", Severity: results.Valid, Text: "client and broker share this machine"}}
	}
	return now
}

// suspect returns the same with a reason.
func suspect(now measure.Progress) measure.Progress {
	now.Verdict = results.Suspect
	now.Problems = []results.Problem{{
		Code: "lag", Severity: results.Suspect,
		Text: "the generator was late: lag p99 is 0.721 ms, above the response p50 of 0.081 ms; it is in the response times from p99 on",
	}}
	return now
}

// empty has replies, but none of its section.
func empty(now measure.Progress) measure.Progress {
	now.Section, now.P50, now.P99, now.P999, now.Max = 2, 0, 0, 0, 0
	return now
}

func TestBlock(t *testing.T) {
	var b strings.Builder
	for _, tt := range []struct {
		name string
		n    int
		now  measure.Progress
	}{
		{"warming up", 1, at(1250 * ms)},
		{"in the window", 1, at(17250 * ms)},
		{"suspect", 2, suspect(at(17250 * ms))},
		{"late replies", 3, at(37 * time.Second)},
		{"a section without replies", 1, empty(at(17250 * ms))},
	} {
		for _, columns := range []int{120, 79, 50, 30, 12} {
			fmt.Fprintf(&b, "--- %s, %d columns\n", tt.name, columns)
			lines := block(NewPosition(cells(), tt.n), tt.now, columns)
			for _, line := range lines {
				fmt.Fprintln(&b, words.Clip(line, columns))
			}
			if len(lines) < 4 || len(lines) > 6 {
				t.Errorf("%s, %d columns: %d lines", tt.name, columns, len(lines))
			}
		}
	}
	golden.Check(t, "block.txt", b.String())
}

// A run on a terminal: what stands there at each step, and nothing in the end.
func TestBlockOnATerminal(t *testing.T) {
	v := newTerminal(t, 80, 24)
	s := NewScreen(v, v.size)
	fmt.Fprintln(v, "$ brokerbench run")
	view := Block{s}
	view.Begin("floor of 3000-1024B-c1-fopen", floorTook)
	wantShown(t, v, "$ brokerbench run", "floor of 3000-1024B-c1-fopen")
	for elapsed := 250 * ms; elapsed <= 36*time.Second; elapsed += Every {
		now := at(elapsed)
		if elapsed < 20*time.Second {
			now = suspect(now)
		}
		view.Show(NewPosition(cells(), 1), now)
	}
	want := append([]string{"$ brokerbench run"}, block(NewPosition(cells(), 1), at(36*time.Second), 79)...)
	wantShown(t, v, want...)
	view.Clear()
	wantShown(t, v, "$ brokerbench run")
}

func TestLines(t *testing.T) {
	var b strings.Builder
	l := NewLines(&b)
	l.Begin("floor of 3000-1024B-c1-fopen", floorTook)
	l.Begin("the next", 0)
	for n := 1; n <= 2; n++ {
		p := NewPosition(cells(), n)
		l.Begin(p.String(), 35*time.Second)
		for elapsed := time.Second; elapsed <= 41*time.Second; elapsed += time.Second {
			l.Show(p, at(elapsed))
		}
	}
	l.Clear()
	golden.Check(t, "lines.txt", b.String())
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	synctest.Test(t, func(*testing.T) { // its time stands still
		view := JSON{W: &b}
		view.Begin("floor", time.Second)
		for elapsed := 4750 * ms; elapsed <= 6*time.Second; elapsed += Every { // two of them at whole seconds
			view.Show(NewPosition(cells(), 2), at(elapsed))
		}
		late := suspect(at(36 * time.Second))
		view.Show(NewPosition(cells(), 3), late)
		view.Clear()
	})
	golden.Check(t, "progress.jsonl", b.String())
	for line := range strings.Lines(b.String()) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		var o Object
		if err := decoder.Decode(&o); err != nil || o.Schema != Schema {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestEveryFieldOfJSONIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := bytes.Cut(text, []byte("`"+Schema+"`"))
	if !found {
		t.Fatalf("docs/files.md has no section on %s", Schema)
	}
	o := reflect.TypeFor[Object]()
	for i := range o.NumField() {
		if name := o.Field(i).Tag.Get("json"); !bytes.Contains(section, []byte("`"+name+"`")) {
			t.Errorf("docs/files.md does not mention %s", name)
		}
	}
}

func TestDiscard(*testing.T) {
	var view View = Discard{}
	view.Begin("floor", time.Second)
	view.Show(NewPosition(cells(), 1), at(time.Second))
	view.Audit(NewPosition(cells(), 1), readSoFar(time.Second))
	view.Clear()
}

func TestPositionSaysWhatIsLeft(t *testing.T) {
	p := NewPosition(cells(), 2)
	if p.String() != "[2/3] redis, 1 KiB at 3,000/s" || p.After != 35*time.Second {
		t.Errorf("%v, %v after it", p, p.After)
	}
	for elapsed, want := range map[time.Duration]time.Duration{15 * time.Second: 55 * time.Second, 40 * time.Second: 35 * time.Second} {
		if got := p.left(at(elapsed)); got != want {
			t.Errorf("after %v: %v left, want %v", elapsed, got, want)
		}
	}
}

// A search does not know what is to come.
func TestAPositionWithoutAnEnd(t *testing.T) {
	p := Position{Cell: cells()[1], N: 17}
	if p.String() != "[17] redis, 1 KiB at 3,000/s" {
		t.Errorf("%v", p)
	}
	lines := block(p, at(17*time.Second), 79)
	if got := lines[len(lines)-1]; got != "  the next rate depends on this one" {
		t.Errorf("the last line is %q", got)
	}
	var b bytes.Buffer
	JSON{W: &b}.Show(p, at(15*time.Second))
	var o Object
	if err := json.Unmarshal(b.Bytes(), &o); err != nil || o.Number != 17 || o.Cells != 0 || o.LeftNS != int64(20*time.Second) {
		t.Errorf("%+v, %v", o, err)
	}
}

// BenchmarkRedraw is the cost of redrawing the block, four times a second.
func BenchmarkRedraw(b *testing.B) {
	view := Block{NewScreen(&bytes.Buffer{}, func() (int, int) { return 80, 24 })}
	p, now := NewPosition(cells(), 2), suspect(at(17*time.Second))
	b.ReportAllocs()
	for b.Loop() {
		view.Screen.w.(*bytes.Buffer).Reset()
		view.Show(p, now)
	}
}

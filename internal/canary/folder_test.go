package canary

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester/load"
)

func TestPeriods(t *testing.T) {
	at := time.Date(2026, 10, 25, 2, 30, 0, 0, time.FixedZone("CEST", 7200)) // an hour before clocks are set back
	p := HourOf(at)
	if p != "2026-10-25T00" || p.Day() != "2026-10-25" || p.Month() != "2026-10" || p.Day().Month() != "2026-10" {
		t.Errorf("%s, %s, %s", p, p.Day(), p.Month())
	}
	for p, long := range map[Period]time.Duration{p: time.Hour, p.Day(): 24 * time.Hour, "2026-02": 28 * 24 * time.Hour, "2024-02": 29 * 24 * time.Hour} {
		if got := p.End().Sub(p.Start()); got != long || p.Check() != nil {
			t.Errorf("%s: %v, want %v; %v", p, got, long, p.Check())
		}
	}
}

func FuzzPeriod(f *testing.F) {
	for _, text := range []string{"2026-11-27T12", "2026-11-27", "2026-11", "2026-13", "2026-02-30", "x", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := Period(text)
		if p.Check() != nil {
			return
		}
		if !p.End().After(p.Start()) || !slices.Contains([]Period{HourOf(p.Start()), HourOf(p.Start()).Day(), HourOf(p.Start()).Month()}, p) {
			t.Errorf("%q: from %v to %v", text, p.Start(), p.End())
		}
	})
}

func FuzzBook(f *testing.F) {
	f.Add([]byte(`{"schema":"brokerbench/canary-book/1","period":"2026-11","id":"a","log_bytes":3}`), []byte("abc"))
	f.Add([]byte(`{"schema":"brokerbench/canary-book/1","period":"2026-11","open":{"x":{"due":-9}},"extremes":{"response":{"min_ns":5}}}`), []byte(""))
	f.Fuzz(func(t *testing.T, ledger, log []byte) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, months), 0o755); err != nil {
			t.Fatal(err)
		}
		for suffix, text := range map[string][]byte{ledgerSuffix: ledger, logSuffix: log} {
			if err := os.WriteFile(pathOf(dir, "2026-11", suffix), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b, h, err := Load(dir, "2026-11")
		if err != nil {
			return
		}
		again, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		var same Book
		if err := json.Unmarshal(again, &same); err != nil || same.Ledger != b.Ledger {
			t.Errorf("%v, %v", same, err)
		}
		b.Row(h)
	})
}

func TestOpenRefuses(t *testing.T) {
	id := Identity{Schema: Schema, Target: "nats://h:4222", Shape: "1/s"}
	dir := t.TempDir()
	f, err := Open(dir, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, id); !errors.Is(err, ErrInUse) {
		t.Errorf("in use: %v", err)
	}
	if err := errors.Join(f.append(newBook("2026-11-27T12"), nil), f.Close()); err != nil { // a folder without a book is any canary's
		t.Fatal(err)
	}
	for name, other := range map[string]Identity{
		"another target": {Schema: Schema, Target: "nats://other:4222", Shape: "1/s"},
		"another shape":  {Schema: Schema, Target: "nats://h:4222", Shape: "2/s"},
	} {
		if _, err := Open(dir, other); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(foreign, id); !errors.Is(err, ErrForeign) {
		t.Errorf("a folder with other files: %v", err)
	}
	if again, err := Open(dir, id); err != nil || again.Close() != nil {
		t.Errorf("its own: %v", err)
	}
}

// filled returns a folder with hours of three days, each with other values.
func filled(t *testing.T, dir string) (*Folder, int64) {
	t.Helper()
	f, n := open(t, dir), int64(0)
	start := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	for i := range 7 {
		at := start.Add(time.Duration(8*i) * time.Hour)
		b, h := newBook(HourOf(at)), NewHistograms()
		for v := range i + 1 {
			h[Response].Record(time.Duration(1000*i + 7*v + 1))
			h[Service].Record(time.Duration(500*i + 7*v + 1))
		}
		for s, tag := range Tags[:Lag] {
			b.extend(tag, Extreme{int64(h[s].Min()), int64(h[s].Max()), 0})
		}
		b.Ledger = load.Ledger{Due: int64(i + 1), Done: int64(i + 1)}
		b.gap(Span{From: at, To: at.Add(time.Minute), Cause: "test", Due: 3})
		n += int64(i + 1)
		if err := f.rewrite(b, h); err != nil {
			t.Fatal(err)
		}
	}
	return f, n
}

// Wherever a process is killed while it adds logs up, the next one ends with the same sums, and a reader meanwhile
// sees them.
func TestKilledWhileAddingUp(t *testing.T) {
	now := time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC)
	nobody := func(Period) bool { return false }
	var want Month
	for kill := 0; ; kill++ {
		dir := t.TempDir()
		f, n := filled(t, dir)
		steps := 0
		f.before = func(string) error {
			if steps++; kill > 0 && steps > kill {
				return errKilled
			}
			return nil
		}
		err := f.roll(now, nobody)
		for range 2 {
			r, readErr := Read(dir)
			if readErr != nil {
				t.Fatalf("killed at step %d: %v", kill, readErr)
			}
			total, gaps := int64(0), 0
			for _, m := range r.Months {
				total, gaps = total+m.Response.Count, gaps+int(m.NotMeasured)
			}
			if total != n || gaps != 3*7 {
				t.Fatalf("killed at step %d: %d values of %d, %d not measured", kill, total, n, gaps)
			}
			if kill == 0 {
				want = r.Months[1]
			}
			if got := r.Months[1]; got.Response.MaxNS != want.Response.MaxNS || got.Response.MinNS != want.Response.MinNS || got.Response.MeanNS != want.Response.MeanNS || len(got.Gaps) != len(want.Gaps) {
				t.Fatalf("killed at step %d: %+v, want %+v", kill, got, want)
			}
			if closed := f.Close(); closed != nil {
				t.Fatal(closed)
			}
			f = open(t, dir)
			if again := f.roll(now, nobody); again != nil {
				t.Fatalf("after a kill at step %d: %v", kill, again)
			}
		}
		files, _ := size(t, dir)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if files != 2+2+2 { // canary.json, lock; November; the first of December
			t.Fatalf("killed at step %d: %d files", kill, files)
		}
		if kill > 0 && err == nil {
			t.Logf("%d steps", steps)
			return
		}
	}
}

// A line that a killed process appended without its ledger is not read, and overwritten.
func TestKilledWhileAppending(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	b, h := newBook("2026-11-27T12"), NewHistograms()
	h[Response].Record(5)
	log, err := encode(b, h)
	if err != nil {
		t.Fatal(err)
	}
	b.extend("response", Extreme{5, 5, 0})
	if err := f.append(b, log); err != nil {
		t.Fatal(err)
	}
	for _, kill := range []int{1, 2} {
		step := 0
		f.before = func(string) error {
			if step++; step > kill {
				return errKilled
			}
			return nil
		}
		if err := f.append(b, log[len(log)-20:]); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if got, sums, err := Load(dir, b.Period); err != nil || sums[Response].Count() != 1 || got.LogBytes != int64(len(log)) {
			t.Errorf("%v, %d values", err, sums[Response].Count())
		}
	}
	f.before = nil
	again := log[len(log)-len(lastLine(log)):]
	if err := f.append(b, again); err != nil {
		t.Fatal(err)
	}
	if _, sums, err := Load(dir, b.Period); err != nil || sums[Response].Count() != 2 {
		t.Errorf("%v, %d values, want 2", err, sums[Response].Count())
	}
	if err := os.WriteFile(f.path(b.Period, logSuffix), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil {
		t.Error("a damaged log is read")
	}
}

func lastLine(log []byte) []byte {
	lines := slices.Collect(func(yield func([]byte) bool) {
		for from := 0; from < len(log); {
			to := from
			for log[to] != '\n' {
				to++
			}
			if !yield(log[from : to+1]) {
				return
			}
			from = to + 1
		}
	})
	return lines[len(lines)-1]
}

// What a book lists does not grow with what goes wrong.
func TestABookIsBounded(t *testing.T) {
	b := newBook("2026-11")
	at := b.Period.Start()
	for i := range 5000 {
		from := at.Add(time.Duration(i) * time.Minute)
		b.gap(Span{From: from, To: from.Add(time.Duration(i%50+1) * time.Second), Cause: "test", Due: 1})
		b.Failures = addFailures(b.Failures, []load.Failure{{Cause: string(rune('a' + i%26)), Count: 1}})
		b.noteAt(from, "note %d", i)
	}
	text, err := json.Marshal(b)
	if err != nil || b.NotMeasured != 5000 || len(b.Gaps) != mostSpans || b.Dropped != 5000-mostSpans || len(b.Failures) != mostFailures || len(text) > 100<<10 {
		t.Errorf("%d not measured, %d gaps, %d dropped, %d causes, %d B, %v", b.NotMeasured, len(b.Gaps), b.Dropped, len(b.Failures), len(text), err)
	}
	if b.Gaps[0].To.Sub(b.Gaps[0].From) < 48*time.Second {
		t.Errorf("short gaps are kept: %v", b.Gaps[0])
	}
}

// docs/files.md names every field of the files.
func TestEveryFieldIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Canary\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, of := range []any{Identity{}, Book{}, Progress{}, Span{}, Extreme{}, Row{}, Report{}, Month{}} {
		for i := range reflect.TypeOf(of).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(of).Field(i).Tag.Get("json"), ",")
			if name != "" && !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%T: %s is not mentioned", of, name)
			}
		}
	}
	for _, schema := range []string{Schema, BookSchema, ReportSchema} {
		if !strings.Contains(section, schema) {
			t.Errorf("the schema %s is not mentioned", schema)
		}
	}
}

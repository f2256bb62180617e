package histogram

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestTick(t *testing.T) {
	level := 0.0
	for half := range 46 {
		for i := range ticksPerHalf {
			if want := 100 / math.Ldexp(1, half+1) / ticksPerHalf; tick(level) != want {
				t.Fatalf("at %v, step %d of half %d, the tick is %v, want %v", level, i, half, tick(level), want)
			}
			level += tick(level)
		}
		if want := 100 - 100/math.Ldexp(1, half+1); level != want {
			t.Fatalf("half %d ends at %v, want %v", half, level, want)
		}
	}
}

// hgrm returns h as a .hgrm file.
func hgrm(tb testing.TB, h *Histogram) string {
	tb.Helper()
	var text strings.Builder
	ok(tb, WritePercentiles(&text, h))
	return text.String()
}

// tableOf renders the rows of h as other tools do.
func tableOf(h *Histogram, head, row, last string) string {
	var text strings.Builder
	text.WriteString(head)
	for _, r := range h.percentiles().Rows {
		if r.Percentile == 100 {
			fmt.Fprintf(&text, last, r.Value, r.Percentile/100, r.Count)
		} else {
			fmt.Fprintf(&text, row, r.Value, r.Percentile/100, r.Count, 1/(1-r.Percentile/100))
		}
	}
	return text.String()
}

// wrk2 is the output of wrk2 --latency --u_latency, which has two tables.
func wrk2(h *Histogram) string {
	summary := fmt.Sprintf("#[Mean    = %12.3f, StdDeviation   = %12.3f]\n#[Max     = %12.3f, Total count    = %12d]\n"+
		"#[Buckets = %12d, SubBuckets     = %12d]\n", 1.5, 0.5, 12.496, h.Count(), 27, 2048)
	spectrum := func(h *Histogram) string {
		return tableOf(h, "\n  Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n",
			"%12.3f %12f %12d %12.2f\n", "%12.3f %12f %12d          inf\n") + summary
	}
	return "Running 30s test @ http://127.0.0.1:80/index.html\n  2 threads and 100 connections\n" +
		"  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     6.46ms    1.93ms  12.34ms   67.66%\n" +
		"  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%    6.67ms\n100.000%   12.50ms\n" +
		spectrum(h) + "----------------------------------------------------------\n\n" +
		"  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))\n" +
		spectrum(of(1)) + "----------------------------------------------------------\n" +
		"  60018 requests in 30.00s, 19.81MB read\nRequests/sec:   2000.28\n"
}

func TestReadOtherTools(t *testing.T) {
	h := random(4, 20000)
	var theirs bytes.Buffer
	_, err := library(t, h).PercentilesPrint(&theirs, 5, perMillisecond)
	ok(t, err)
	for _, c := range []struct {
		name, text string
		complete   bool
	}{
		{"wrk2", wrk2(h), true},
		{"wrk2 with CRLF", strings.ReplaceAll(wrk2(h), "\n", "\r\n"), true},
		{"tylertreat/bench", tableOf(h, "Value    Percentile    TotalCount    1/(1-Percentile)\n\n",
			"%f    %f        %d            %f\n", "%f    %f        %d            10000000.000000\n"), false},
		{"tylertreat/bench over a longer file", tableOf(h, "Value    Percentile    TotalCount    1/(1-Percentile)\n\n",
			"%f    %f        %d            %f\n", "%f    %f        %d            10000000.000000\n") + "00000\n9.1    1.000000        20            1.0\n", false},
		{"hdrhistogram-go", theirs.String(), true},
	} {
		p, err := ReadPercentiles(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.Count != h.Count() || p.Complete != c.complete || p.Max == 0 {
			t.Errorf("%s: %d values up to %v, complete %v", c.name, p.Count, p.Max, p.Complete)
		}
		checkRows(t, c.name, p, h)
	}
}

// checkRows compares each row with the histogram.
func checkRows(t *testing.T, name string, p Percentiles, h *Histogram) {
	t.Helper()
	if len(p.Rows) < 50 {
		t.Errorf("%s: only %d rows", name, len(p.Rows))
	}
	g := h.geometry
	for _, row := range p.Rows {
		want := float64(g.highest(int64(h.at(row.Count)))) / perMillisecond
		if math.Abs(row.Value-want) > 0.00051 {
			t.Errorf("%s: %v %% is %v ms, want %v", name, row.Percentile, row.Value, want)
		}
		if reached := 100 * float64(row.Count) / float64(h.Count()); row.Percentile > reached+0.00011 {
			t.Errorf("%s: %v %% is said to be reached by %d of %d values", name, row.Percentile, row.Count, h.Count())
		}
	}
}

func TestReadPythonsPercentiles(t *testing.T) {
	python := pythonTools(t)
	out, err := exec.Command(python, filepath.Join("testdata", "python", "percentiles.py")).Output()
	ok(t, err)
	p, err := ReadPercentiles(bytes.NewReader(out))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h := New()
	for i := range 10_000 {
		h.Record(time.Duration(i+1) * 1000)
	}
	if p.Count != 10_000 || !p.Complete {
		t.Errorf("%d values, complete %v", p.Count, p.Complete)
	}
	checkRows(t, "Python", p, h)
}

func TestReadPercentilesErrors(t *testing.T) {
	const head = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
	const sum = "#[Mean    = 1.0, StdDeviation   = 0.5]\n#[Max     = 2.0, Total count    = 7]\n#[Buckets = 32, SubBuckets     = 2048]\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "no percentile table"},
		{"another text", "hello\n1 2 3\n", "no percentile table"},
		{"a log", `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"`, "no percentile table"},
		{"no rows", head, "the table is empty"},
		{"columns", head + "1.0 0.5\n", "line 3: a row has 3 or 4 columns, not 2"},
		{"text", head + "1.0 0.5 3 2.0\n\nRequests/sec: 17 of 19 x\n", `line 5: a row has 3 or 4 columns, not 5`},
		{"value", head + "x 0.5 3 2.0\n", `line 3: "x" is not a number`},
		{"negative", head + "-1 0.5 3 2.0\n", `line 3: "-1" is not a number`},
		{"not a number", head + "NaN 0.5 3 2.0\n", `line 3: "NaN" is not a number`},
		{"infinite", head + "inf 0.5 3 2.0\n", `line 3: "inf" is not a number`},
		{"percent", head + "1 50.0 3 2.0\n", "line 3: percentile 50.0 is above 1"},
		{"count", head + "1 0.5 3.5 2.0\n", `line 3: "3.5" is not a count`},
		{"negative count", head + "1 0.5 -3 2.0\n", `line 3: "-3" is not a count`},
		{"fourth", head + "1 0.5 3 many\n", `line 3: "many" is not a number`},
		{"all at once", head + "a b c\n", "\"a\" is not a number from 0\n\"b\" is not a number from 0\n\"c\" is not a count"},
		{"value descends", head + "2 0.5 3\n1 0.6 4\n", "line 4: \"1 0.6 4\" does not ascend"},
		{"percentile descends", head + "2 0.5 3\n3 0.4 4\n", "line 4"},
		{"count descends", head + "2 0.5 3\n3 0.6 2\n", "line 4"},
		{"cut row", head + "2 0.5 3 2.0\n3 0.", "line 4: a row has 3 or 4 columns, not 2"},
		{"cut summary", head + "2 1.0 7\n#[Mean    = 1.0, StdDev", `line 4: "#[Mean    = 1.0, StdDev" does not end with ]`},
		{"cut between", head + "2 1.0 7\n#[Mean    = 1.0, StdDeviation   = 0.5]\n", "the summary is cut"},
		{"row in the summary", head + "2 1.0 7\n#[Mean = 1.0]\n3 1.0 8\n", "line 5: \"3 1.0 8\" between the lines of the summary"},
		{"unknown", head + "2 1.0 7\n#[Median = 1.0]\n", `line 4: a summary has no "Median"`},
		{"no value", head + "2 1.0 7\n#[Mean]\n", `line 4: "" is not a number`},
		{"counts differ", head + "2 1.0 8\n" + sum, "the last row counts 8 values, the summary 7"},
		{"long line", head + strings.Repeat("1", longestLine+1), "line 3: bufio.Scanner: token too long"},
	} {
		_, err := ReadPercentiles(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "reading percentiles: ") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := ReadPercentiles(strings.NewReader(head + "2 1.0 7\n" + sum + "anything\n")); err != nil {
		t.Errorf("text after the summary: %v", err)
	}
}

// full writes to a disk with only so much room.
type full struct{ room int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWritePercentilesFails(t *testing.T) {
	if err := WritePercentiles(&full{}, New()); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

// FuzzReadPercentiles: what can be read can be written, and read again, equal.
func FuzzReadPercentiles(f *testing.F) {
	// Short texts: go test minimizes what it finds, byte by byte.
	f.Add(hgrm(f, of(time.Second)))
	f.Add(header + "\n1 0.5 1 2\n3 1 2 inf\n#[Mean = 1]\n#[Max = 3, TotalCount = 2.000]\n#[SubBuckets = 2]")
	f.Add("Value    Percentile    TotalCount    1/(1-Percentile)\n\n0.1 0.0 1 1.0\n0.2 1.0 9007199254740993\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ReadPercentiles(strings.NewReader(text))
		if err != nil {
			return
		}
		for i := 1; i < len(p.Rows); i++ {
			if !p.Rows[i-1].before(p.Rows[i]) {
				t.Fatalf("row %d, %+v, after %+v", i, p.Rows[i], p.Rows[i-1])
			}
		}
		once := rewrite(t, p)
		if len(once.Rows) != len(p.Rows) || once.Count != p.Count {
			t.Fatalf("%d rows of %d values became %d of %d", len(p.Rows), p.Count, len(once.Rows), once.Count)
		}
		if twice := rewrite(t, once); !reflect.DeepEqual(twice, once) {
			t.Fatalf("%+v became %+v", once, twice)
		}
	})
}

func rewrite(t *testing.T, p Percentiles) Percentiles {
	t.Helper()
	var text bytes.Buffer
	ok(t, p.write(&text, Digits))
	again, err := ReadPercentiles(&text)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v", err)
	}
	return again
}

// FuzzPercentilesOfHistogram writes any histogram and reads it.
func FuzzPercentilesOfHistogram(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 17, 4}, uint8(3))
	f.Add([]byte("a stall, and another"), uint8(29))
	f.Fuzz(func(t *testing.T, values []byte, scale uint8) {
		h := fuzzed(values, scale)
		p, err := ReadPercentiles(strings.NewReader(hgrm(t, h)))
		ok(t, err)
		if p.Count != h.Count() || math.Abs(p.Max-float64(h.largest())/perMillisecond) > 0.00051 {
			t.Fatalf("%d values up to %v, want %d up to %v", p.Count, p.Max, h.Count(), h.Max())
		}
	})
}

// fuzzed returns a histogram of the bytes, scaled by a power of two.
func fuzzed(values []byte, scale uint8) *Histogram {
	h := New()
	for i, v := range values {
		h.Record(time.Duration(int64(v)<<(scale%36) + int64(i)))
	}
	return h
}

func BenchmarkWritePercentiles(b *testing.B) {
	b.ReportAllocs()
	h := random(1, 100_000)
	for b.Loop() {
		ok(b, WritePercentiles(&bytes.Buffer{}, h))
	}
}

func BenchmarkReadPercentiles(b *testing.B) {
	b.ReportAllocs()
	text := hgrm(b, random(1, 100_000))
	for b.Loop() {
		_, err := ReadPercentiles(strings.NewReader(text))
		ok(b, err)
	}
}

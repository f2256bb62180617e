package histogram

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// checked are the percentiles that we ask the tools for. Java and we take the value
// of rank ceil(p·n), Python that of the nearest rank: with 20,000 values these are
// the same.
var checked = []float64{50, 90, 99, 99.9, 99.99}

// ourLog writes five intervals of two series of 20,000 values, one with a stall,
// and returns the file and the sums.
func ourLog(t *testing.T) (path string, sums map[string]*Histogram) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "intervals.hlog")
	file, err := os.Create(path)
	ok(t, err)
	sums = map[string]*Histogram{"response": New(), "service": New()}
	g, log := generator(42), NewLogWriter(file, time.UnixMilli(1764900000123))
	for i := range 5 {
		response, service := New(), New()
		for n := range int64(4000) {
			v := time.Duration(80_000 + g.random(400_000))
			service.Record(v)
			if i == 3 {
				v += time.Duration(n) * time.Millisecond
			}
			response.Record(v)
		}
		from := time.Duration(i) * time.Second
		for tag, h := range map[string]*Histogram{"response": response, "service": service} {
			ok(t, log.Write(tag, from, from+time.Second, h))
			ok(t, sums[tag].Merge(h))
		}
	}
	ok(t, file.Close())
	return path, sums
}

// asRead returns our own reading of a log, whose values are those of buckets.
func asRead(t *testing.T, path, tag string) *Histogram {
	t.Helper()
	h, err := readLog(t, read(t, path)).Merged(tag)
	ok(t, err)
	return h
}

// expected is what a tool must print: count, percentiles and maximum, in nanoseconds.
func expected(h *Histogram) string {
	values := []int64{h.Count()}
	for _, p := range checked {
		values = append(values, int64(h.Quantile(p)))
	}
	return strings.Trim(fmt.Sprint(append(values, int64(h.Max()))), "[]")
}

// TestJavaReadsOurLog runs HistogramLogProcessor on a log of ours and compares its
// output exactly.
func TestJavaReadsOurLog(t *testing.T) {
	jar := javaTools(t)
	path, sums := ourLog(t)
	for tag, sum := range sums {
		h := asRead(t, path, tag)
		same(t, h, sum)

		out := filepath.Join(t.TempDir(), tag)
		cmd := exec.Command("java", "-cp", jar, "org.HdrHistogram.HistogramLogProcessor",
			"-i", path, "-o", out, "-tag", tag, "-csv", "-outputValueUnitRatio", "1")
		if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		intervals := read(t, out)
		if got, want := lastCSV(t, intervals), expected(h); got != want {
			t.Errorf("%s: count, p50 to p99.99, max: Java says %s, we say %s", tag, got, want)
		}
		if n := strings.Count(intervals, "\n"); n != 3+5 { // range, start time, legend
			t.Errorf("%s: Java saw other than 5 intervals:\n%s", tag, intervals)
		}
		if !strings.Contains(intervals, "#[StartTime: 1764900000.123 (seconds since epoch)") {
			t.Errorf("%s: Java read another start time:\n%s", tag, intervals)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	ok(t, err)
	return string(content)
}

// lastCSV returns the totals of the last line: count, p50, 90, 99, 99.9, 99.99,
// maximum.
func lastCSV(t *testing.T, intervals string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(intervals), "\n")
	columns := strings.Split(lines[len(lines)-1], ",")
	if len(columns) != 12 {
		t.Fatalf("%d columns: %s", len(columns), lines[len(lines)-1])
	}
	return strings.ReplaceAll(strings.Join(columns[5:], " "), ".000", "")
}

// TestJavaPrintsOurPercentiles lets HistogramLogProcessor make the .hgrm of a log of
// ours: it is equal to the one that we write.
func TestJavaPrintsOurPercentiles(t *testing.T) {
	jar := javaTools(t)
	path, sums := ourLog(t)
	for tag, sum := range sums {
		out, err := exec.Command("java", "-cp", jar, "org.HdrHistogram.HistogramLogProcessor", "-i", path, "-tag", tag).Output()
		ok(t, err)
		start, got, _ := strings.Cut(string(out), "\n")
		if !strings.HasPrefix(start, "#[StartTime: ") {
			t.Fatalf("the first line is %q", start)
		}
		if want := hgrm(t, sum); got != want {
			t.Errorf("%s: Java prints\n%s\nwe print\n%s", tag, got, want)
		}
		if p, err := ReadPercentiles(bytes.NewReader(out)); err != nil || p.Count != sum.Count() {
			t.Errorf("%s: we read %d values of Java's, %v", tag, p.Count, err)
		}
	}
}

// TestPythonReadsOurLog does the same with the reader from PyPI.
func TestPythonReadsOurLog(t *testing.T) {
	python := pythonTools(t)
	path, sums := ourLog(t)
	args := []string{filepath.Join("testdata", "python", "read.py"), path}
	for _, p := range checked {
		args = append(args, strconv.FormatFloat(p, 'f', -1, 64))
	}
	out, err := exec.Command(python, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var want strings.Builder
	for _, tag := range []string{"response", "service"} {
		h := asRead(t, path, tag)
		same(t, h, sums[tag])
		fmt.Fprintf(&want, "%s 1764900000123 1764900005123 %s\n", tag, expected(h))
	}
	if string(out) != want.String() {
		t.Errorf("tag, start, end, count, p50 to p99.99, max: Python says\n%swe say\n%s", out, want.String())
	}
}

// TestWeReadPythonsLog reads a log that Python's writer wrote.
func TestWeReadPythonsLog(t *testing.T) {
	python := pythonTools(t)
	path := filepath.Join(t.TempDir(), "python.hlog")
	if out, err := exec.Command(python, filepath.Join("testdata", "python", "write.py"), path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h := asRead(t, path, "")
	want := upTo(0)
	for i := range 3 {
		for v := range 1000 {
			want.Record(time.Duration((i + 1) * (v + 1) * 1000))
		}
	}
	same(t, h, want)
}

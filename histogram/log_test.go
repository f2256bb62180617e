package histogram

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

var began = time.Date(2025, 12, 5, 2, 0, 0, 123_456_789, time.UTC)

// readLog reads a log that has no mistake.
func readLog(tb testing.TB, text string) Log {
	tb.Helper()
	log, err := ReadLog(strings.NewReader(text))
	ok(tb, err)
	return log
}

// written returns a log with the intervals that write writes.
func written(t testing.TB, write func(*LogWriter) error) string {
	t.Helper()
	var text bytes.Buffer
	ok(t, write(NewLogWriter(&text, began)))
	return text.String()
}

// TestLogText compares every character except the compressed histograms.
func TestLogText(t *testing.T) {
	h := of(1_234_567)
	got := written(t, func(l *LogWriter) error {
		return errors.Join(
			l.Write("response", 0, 1000400*time.Microsecond, h),
			l.Write("", 1000400*time.Microsecond, 2001600*time.Microsecond, h),
			l.Write("lag", 90*time.Minute, 90*time.Minute, New()))
	})
	want := `#[Logged with brokerbench]
#[Histogram log format version 1.3]
#[BaseTime: 1764900000.123 (seconds since epoch)]
#[StartTime: 1764900000.123 (seconds since epoch), Fri Dec 05 02:00:00 UTC 2025]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
Tag=response,0.000,1.000,1.235,` + payload(t, h) + `
1.000,1.002,1.235,` + payload(t, h) + `
Tag=lag,5400.000,0.000,0.000,` + payload(t, New()) + "\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	java := readGolden(t, "golden.hlog")
	for _, line := range strings.Split(want, "\n")[1:5] {
		if !strings.Contains(java, line+"\n") {
			t.Errorf("Java does not write %q", line)
		}
	}
}

func TestLogRoundTrip(t *testing.T) {
	a, b := random(1, 3000), random(2, 3000)
	text := written(t, func(l *LogWriter) error {
		return errors.Join(
			l.Write("a", 0, time.Second, a),
			l.Write("b", 0, time.Second, b),
			l.Write("a", time.Second, 2*time.Second, b))
	})
	log := readLog(t, text)
	if !log.Start.Equal(began.Round(time.Millisecond)) || log.Truncated || len(log.Entries) != 3 {
		t.Errorf("start %v, truncated %v, %d entries", log.Start, log.Truncated, len(log.Entries))
	}
	for i, want := range []Entry{{"a", 0, time.Second, a}, {"b", 0, time.Second, b}, {"a", time.Second, time.Second, b}} {
		e := log.Entries[i]
		if e.Tag != want.Tag || e.Start != want.Start || e.Length != want.Length {
			t.Errorf("entry %d is %q from %v for %v", i, e.Tag, e.Start, e.Length)
		}
		same(t, e.Histogram, want.Histogram)
	}
	if tags := log.Tags(); !slices.Equal(tags, []string{"a", "b"}) {
		t.Errorf("tags %q", tags)
	}
	merged, err := log.Merged("a")
	ok(t, err)
	ok(t, a.Merge(b))
	same(t, merged, a)
	if log.Entries[0].Histogram.Count() != 3000 {
		t.Error("Merged changed an entry")
	}
	if _, err := log.Merged("c"); err == nil || !strings.Contains(err.Error(), `no interval tagged "c", only ["a" "b"]`) {
		t.Errorf("error %v", err)
	}
}

func TestMergedRefusesMixedPrecision(t *testing.T) {
	log := Log{Entries: []Entry{{Histogram: of(1)}, {Start: time.Second, Histogram: kind(1, Highest, 2)}}}
	log.Entries[1].Histogram.Record(1)
	if _, err := log.Merged(""); err == nil || !strings.Contains(err.Error(), "buckets differ") {
		t.Errorf("error %v", err)
	}
}

func TestLogWriterRefuses(t *testing.T) {
	var text bytes.Buffer
	l := NewLogWriter(&text, began)
	head := text.Len()
	for _, tag := range []string{",", "a,b", ",a", "a,", " a", "a ", "a b", "a\n", "\ra", "a\tb", "a\u00a0b", "\x00"} {
		if err := l.Write(tag, 0, 1, New()); !errors.Is(err, errTag) {
			t.Errorf("tag %q: error %v", tag, err)
		}
	}
	for _, c := range [][2]time.Duration{{-1, 1}, {2, 1}} {
		if err := l.Write("a", c[0], c[1], New()); err == nil || !strings.Contains(err.Error(), "ends before it begins") {
			t.Errorf("from %v to %v: error %v", c[0], c[1], err)
		}
	}
	if text.Len() != head {
		t.Errorf("something was written: %s", text.String()[head:])
	}
	if err := l.Write("a", 0, 1, New()); err != nil {
		t.Errorf("a refused interval spoiled the writer: %v", err)
	}
}

// A cut disk writes as much of a line as it has room for.
type cut struct{ full }

func (c *cut) Write(p []byte) (int, error) {
	if room := c.room; room < len(p) {
		c.room = 0
		return room, errFull
	}
	return c.full.Write(p)
}

func TestLogWriterEndsWithACutLine(t *testing.T) {
	disk := &cut{full{room: 10}}
	l := NewLogWriter(disk, began)
	disk.room = 1 << 20
	for range 2 {
		if err := l.Write("a", 0, 1, New()); !errors.Is(err, errFull) {
			t.Errorf("error %v", err)
		}
	}
	if disk.room != 1<<20 {
		t.Error("something was written after a cut line")
	}
}

// A disk that was full from the start and has room again gets the head first.
func TestLogWriterGoesOnAfterALineThatIsLeftOut(t *testing.T) {
	var text strings.Builder
	disk := &full{}
	l := NewLogWriter(io.MultiWriter(disk, &text), began)
	if err := l.Write("a", 0, time.Second, of(1)); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	disk.room = 1 << 20
	ok(t, l.Write("a", time.Second, 2*time.Second, of(2)))
	disk.room = 0
	if err := l.Write("a", 2*time.Second, 3*time.Second, of(3)); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	disk.room = 1 << 20
	ok(t, l.Write("a", 3*time.Second, 4*time.Second, of(4)))
	log := readLog(t, text.String())
	if len(log.Entries) != 2 || log.Truncated || log.Entries[0].Start != time.Second || log.Entries[1].Start != 3*time.Second {
		t.Errorf("%+v in %s", log.Entries, text.String())
	}
}

// writes counts the calls of Write.
type writes struct{ lines []string }

func (w *writes) Write(p []byte) (int, error) {
	w.lines = append(w.lines, string(p))
	return len(p), nil
}

// TestLogIsWrittenLineByLine: a process that is killed leaves whole lines.
func TestLogIsWrittenLineByLine(t *testing.T) {
	var w writes
	l := NewLogWriter(&w, began)
	for i := range time.Duration(3) {
		ok(t, l.Write("a", i, i+1, random(1, 100)))
	}
	if len(w.lines) != 1+3 {
		t.Errorf("%d calls of Write, want one for the head and one for each interval", len(w.lines))
	}
	for _, line := range w.lines {
		if !strings.HasSuffix(line, "\n") {
			t.Errorf("%q is not whole lines", line)
		}
	}
}

// TestCutLog cuts a log at every byte: whole lines are read.
func TestCutLog(t *testing.T) {
	head := written(t, func(*LogWriter) error { return nil })
	text := written(t, func(l *LogWriter) error {
		return errors.Join(l.Write("a", 0, 1, of(1, 2, 3)), l.Write("b", 1, 2, of(4, 5, 6)))
	})
	for n := range len(text) + 1 {
		log, err := ReadLog(strings.NewReader(text[:n]))
		if err != nil {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
		// A whole histogram is read even if the end of its line is missing.
		whole := max(strings.Count(text[:n]+"\n", "\n")-strings.Count(head, "\n")-1, 0)
		cut := n > 0 && text[n-1] != '\n'
		if cut && n < len(text) && text[n] == '\n' && n > len(head) {
			whole, cut = whole+1, false
		}
		if len(log.Entries) != whole || log.Truncated != cut {
			t.Fatalf("cut after %d bytes: %d entries, truncated %v; want %d, %v\n%s",
				n, len(log.Entries), log.Truncated, whole, cut, text[:n])
		}
	}
}

func TestReadLogErrors(t *testing.T) {
	good := payload(t, of(1, 2, 3))
	// The same histogram with a range that Java would refuse.
	narrow, err := base64.StdEncoding.DecodeString(payload(t, kind(1000, 1001, 3)))
	ok(t, err)
	for _, c := range []struct{ name, line, want string }{
		{"text", "hello", `"hello" is not start,length,max,histogram`},
		{"no histogram", "0.0,1.0,2.0", `"0.0,1.0,2.0" is not start,length,max,histogram`},
		{"only a tag", "Tag=a", `"" is not start,length,max,histogram`},
		{"start", "x,1.0,2.0," + good, `"x" is not a time in seconds`},
		{"empty start", ",1.0,2.0," + good, `"" is not a time in seconds`},
		{"unit", "1h2,1.0,2.0," + good, `"1h2" is not a time in seconds`},
		{"not a number", "NaN,1.0,2.0," + good, `"NaN" is not a time in seconds`},
		{"too late", "1e300,1.0,2.0," + good, `"1e300" is not a time in seconds`},
		{"too late in digits", "99999999999,1.0,2.0," + good, `"99999999999" is not a time in seconds`},
		{"length", "0.0,--1,2.0," + good, `"--1" is not a time in seconds`},
		{"negative length", "0.0,-1.0,2.0," + good, "the interval is -1s long"},
		{"maximum", "0.0,1.0,big," + good, `parsing "big"`},
		{"base64", "0.0,1.0,2.0,H!", "decoding the histogram: illegal base64"},
		{"empty histogram", "0.0,1.0,2.0,", errEncoding.Error()},
		{"V1", "0.0,1.0,2.0,HISTEwAAAAAAAA==", errEncoding.Error()},
		{"cut histogram", "0.0,1.0,2.0," + good[:len(good)-8], "decoding the histogram: "},
		{"narrow", "0.0,1.0,2.0," + base64.StdEncoding.EncodeToString(narrow), "its range is from 1000 to 1001"},
		{"start time", "#[StartTime: soon]", `StartTime: "" is not a time in seconds`},
		{"base time", "#[BaseTime: 1.2.3 (seconds since epoch)]", `BaseTime: "1.2.3" is not a time in seconds`},
	} {
		text := "#[StartTime: 5 (seconds since epoch)]\n\n" + c.line + "\n0.0,1.0,2.0," + good + "\n"
		_, err := ReadLog(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "reading the interval log: line 3: ") {
			t.Errorf("%s: error %v, want %q in line 3", c.name, err, c.want)
		}
	}
	broken := iotest.ErrReader(errFull)
	if _, err := ReadLog(io.MultiReader(strings.NewReader("# a\n"), broken)); !errors.Is(err, errFull) || !strings.Contains(err.Error(), "after line 1") {
		t.Errorf("error %v", err)
	}
}

// TestLogHeaders reads the times of each port's head.
func TestLogHeaders(t *testing.T) {
	const legend = `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n"
	second := time.Unix(1441812279, 0)
	for _, c := range []struct {
		name, head, at string
		start          time.Time
		offset         time.Duration
	}{
		{"Java", "#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]\n" + legend, "0.127", second.Add(474 * time.Millisecond), 127 * time.Millisecond},
		{"Java, absolute", "#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep 09 08:24:39 PDT 2015]\n" + legend, "1441812280.601", second.Add(474 * time.Millisecond), 1127 * time.Millisecond},
		{"Java, base", "#[BaseTime: 1441812278.000 (seconds since epoch)]\n#[StartTime: 1441812279.000 (seconds since epoch), x]\n" + legend, "2.5", second, 1500 * time.Millisecond},
		{"Python", "#[StartTime: 1441812279.474000 (seconds since epoch), 2015-09-09 08:24:39]\n" + legend, "0.127000", second.Add(474 * time.Millisecond), 127 * time.Millisecond},
		{"C", "#[Histogram log format version 1.2]\n#[StartTime: 1441812279.474 (seconds since epoch), Wed Sep  9 15:24:39 2015]\n" +
			"\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n", "0.127", second.Add(474 * time.Millisecond), 127 * time.Millisecond},
		{"hdrhistogram-go", "#[StartTime: 1441812279 (seconds since epoch), 2015-09-09T15:24:39Z]\n#[Basetime: 1441812279 (seconds since epoch)]\n" + legend, "0.127000", second, 127 * time.Millisecond},
		{"no space", "#[StartTime:1441812279]\n", "3", second, 3 * time.Second},
		{"exponent", "#[StartTime: 1.441812279E9 (seconds since epoch)]\n", "1.5e-1", second, 150 * time.Millisecond},
		{"none", legend, "1441812279.0", second, 0},
		{"none, and base", "#[BaseTime: 1441812270.000 (seconds since epoch)]\n", "9.0", second, 0},
		{"none, relative", "# a comment\r\n", "7.0", time.Unix(7, 0), 0},
	} {
		text := c.head + c.at + ",1.0,2.0," + payload(t, of(9)) + "\r\n"
		log, err := ReadLog(strings.NewReader(text))
		if err != nil || len(log.Entries) != 1 {
			t.Errorf("%s: %d entries, %v", c.name, len(log.Entries), err)
			continue
		}
		if got := log.Entries[0].Start; !log.Start.Equal(c.start) || got != c.offset || log.Truncated {
			t.Errorf("%s: start %v, offset %v, truncated %v; want %v, %v", c.name, log.Start, got, log.Truncated, c.start.UTC(), c.offset)
		}
		same(t, log.Entries[0].Histogram, of(9))
	}
}

// FuzzReadLog: no input panics, and what can be read can be written and read
// again.
func FuzzReadLog(f *testing.F) {
	f.Add(written(f, func(l *LogWriter) error {
		return errors.Join(l.Write("a", 0, time.Second, random(1, 50)), l.Write("", time.Second, 2*time.Second, of(2*time.Hour)))
	}))
	f.Add("#[StartTime: 1441812279.474 (seconds since epoch)]\n1441812280.1,1.0,2.0," + payload(f, of(1, 2, 3)))
	f.Add("Tag=x,1e3,1.0,2.0," + payload(f, kind(1000, math.MaxInt32, 2)) + "\n\n#")
	f.Fuzz(func(t *testing.T, text string) {
		log, err := ReadLog(strings.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		l, kept := NewLogWriter(&again, began), []Entry(nil)
		for _, e := range log.Entries {
			if checkTag(e.Tag) != nil || e.Start < 0 || e.Start > math.MaxInt64/4 || e.Length > math.MaxInt64/4 {
				continue
			}
			ok(t, l.Write(e.Tag, e.Start, e.Start+e.Length, e.Histogram))
			kept = append(kept, e)
		}
		reread, err := ReadLog(&again)
		if err != nil || len(reread.Entries) != len(kept) {
			t.Fatalf("%d entries became %d, %v", len(kept), len(reread.Entries), err)
		}
		for i, e := range reread.Entries {
			if e.Tag != kept[i].Tag || (e.Start-kept[i].Start).Abs() > time.Millisecond {
				t.Fatalf("%q at %v became %q at %v", kept[i].Tag, kept[i].Start, e.Tag, e.Start)
			}
			same(t, e.Histogram, kept[i].Histogram)
		}
	})
}

// FuzzLogRoundTrip writes any histogram and reads it.
func FuzzLogRoundTrip(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 17, 4}, uint8(3), "response", uint32(1000))
	f.Add([]byte{}, uint8(0), "", uint32(0))
	f.Fuzz(func(t *testing.T, values []byte, scale uint8, tag string, ms uint32) {
		h, at := fuzzed(values, scale), time.Duration(ms)*time.Millisecond
		var text bytes.Buffer
		err := NewLogWriter(&text, began).Write(tag, at, at+time.Second, h)
		if (err != nil) != (checkTag(tag) != nil) {
			t.Fatalf("tag %q: %v", tag, err)
		}
		if err != nil {
			return
		}
		log, err := ReadLog(&text)
		if err != nil || len(log.Entries) != 1 {
			t.Fatalf("%d entries, %v", len(log.Entries), err)
		}
		if e := log.Entries[0]; e.Tag != tag || e.Start != at || e.Length != time.Second {
			t.Fatalf("%q at %v became %q at %v", tag, at, e.Tag, e.Start)
		}
		same(t, log.Entries[0].Histogram, h)
	})
}

func BenchmarkLogWrite(b *testing.B) {
	b.ReportAllocs()
	l, h := NewLogWriter(io.Discard, began), random(1, 20_000)
	for b.Loop() {
		ok(b, l.Write("response", 0, time.Second, h))
	}
}

func BenchmarkReadLog(b *testing.B) {
	b.ReportAllocs()
	text := written(b, func(l *LogWriter) error { return l.Write("response", 0, time.Second, random(1, 20_000)) })
	for b.Loop() {
		readLog(b, text)
	}
}

func TestLogReaderStreams(t *testing.T) {
	text := written(t, func(l *LogWriter) error {
		return errors.Join(l.Write("a", 0, time.Second, of(1)), l.Write("a", time.Second, 2*time.Second, of(2)))
	})
	r := NewLogReader(iotest.OneByteReader(strings.NewReader(text + "Tag=a,2.000,1.0")))
	for i := range 2 {
		e, err := r.Next()
		if err != nil || e.Start != time.Duration(i)*time.Second || r.Truncated() {
			t.Errorf("entry %d: %v at %v, truncated %v", i, err, e.Start, r.Truncated())
		}
	}
	for range 2 {
		if _, err := r.Next(); err != io.EOF || !r.Truncated() { //nolint:errorlint // as it is
			t.Errorf("error %v, truncated %v", err, r.Truncated())
		}
	}
	if got := fmt.Sprint(r.Start()); got != "2025-12-05 02:00:00.123 +0000 UTC" {
		t.Errorf("start %s", got)
	}
}

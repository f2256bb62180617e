package histogram

import (
	"bytes"
	"flag"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "let Java write the golden files again (needs java and mvn)")

const golden = "testdata/golden"

// TestGoldenUpdate is first because the other tests read the files.
func TestGoldenUpdate(t *testing.T) {
	if !*update {
		t.Skip("the golden files are written by: go test ./histogram -update")
	}
	java := javaTools(t)
	cmd := exec.Command("java", "-Duser.timezone=UTC", "-cp", java, "testdata/java/Golden.java", golden)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// A generator is that of Golden.java.
type generator uint64

func (g *generator) random(below int64) int64 {
	*g = *g*6364136223846793005 + 1442695040888963407
	return int64(*g>>11) % below
}

// distributions are those of Golden.java, in its order.
func distributions() (names []string, all map[string]*Histogram) {
	g := generator(1)
	all = make(map[string]*Histogram)
	add := func(name string, fill func(record func(ns int64))) {
		h := New()
		fill(func(ns int64) { h.Record(time.Duration(ns)) })
		names, all[name] = append(names, name), h
	}
	add("empty", func(func(int64)) {})
	add("single", func(record func(int64)) { record(1_234_567) })
	add("tiny", func(record func(int64)) {
		for v := int64(0); v <= 2000; v += 500 {
			record(v)
		}
	})
	add("uniform", func(record func(int64)) {
		for range 100_000 {
			record(g.random(10_000_000))
		}
	})
	add("stall", func(record func(int64)) {
		for range 9_000 {
			record(1_000_000 + g.random(1_000))
		}
		for i := range int64(1_000) {
			record(1_000_000 + (i+1)*1_000_000)
		}
	})
	add("corrected", func(record func(int64)) {
		for range 9_000 {
			record(900_000 + g.random(500_000))
		}
		record(1_001_000_000)
	})
	all["corrected"] = all["corrected"].Corrected(time.Millisecond)
	add("hour", func(record func(int64)) {
		for i := range int64(1_000) {
			record(i * 10_000_000_000) // most are above an hour
		}
	})
	add("many", func(record func(int64)) {
		record(150_000)
		for range 1_000 {
			record(200_000 + g.random(int64(time.Hour/1000)))
		}
	})
	all["many"].add(150_000, 99_999_999_000-1)
	return names, all
}

func readGolden(t *testing.T, name string) string {
	t.Helper()
	return read(t, filepath.Join(golden, name))
}

// TestGoldenPercentiles compares our .hgrm files with Java's, byte for byte.
func TestGoldenPercentiles(t *testing.T) {
	names, all := distributions()
	for _, name := range names {
		if got, want := hgrm(t, all[name]), readGolden(t, name+".hgrm"); got != want {
			t.Errorf("%s: ours and Java's differ:\n%s\n%s", name, got, want)
		}
	}
}

// TestGoldenPercentilesRead reads what Java wrote, and writes it again.
func TestGoldenPercentilesRead(t *testing.T) {
	names, all := distributions()
	for _, name := range names {
		want := readGolden(t, name+".hgrm")
		p, err := ReadPercentiles(strings.NewReader(want))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if h := all[name]; p.Count != h.Count() || !p.Complete || p.Buckets != 32 || p.SubBuckets != 2048 {
			t.Errorf("%s: %d values, %d buckets of %d, complete %v", name, p.Count, p.Buckets, p.SubBuckets, p.Complete)
		}
		if name == "many" {
			continue // twelve decimals do not give back 1/(1−p) of eleven nines
		}
		var again bytes.Buffer
		ok(t, p.write(&again, Digits))
		if again.String() != want {
			t.Errorf("%s: read and written again it differs:\n%s\n%s", name, again.String(), want)
		}
	}
}

// TestGoldenLog reads Java's log: its counts are those that we record.
func TestGoldenLog(t *testing.T) {
	log := readLog(t, readGolden(t, "golden.hlog"))
	names, all := distributions()
	if len(log.Entries) != len(names) || log.Truncated || !log.Start.Equal(time.UnixMilli(1764900000123)) {
		t.Fatalf("%d entries, truncated %v, start %v", len(log.Entries), log.Truncated, log.Start)
	}
	for i, e := range log.Entries {
		if e.Tag != names[i] || e.Length != 1002*time.Millisecond {
			t.Errorf("entry %d is tagged %q and %v long", i, e.Tag, e.Length)
		}
		if due := time.Duration(i) * 1001500 * time.Microsecond; (e.Start - due).Abs() > time.Millisecond {
			t.Errorf("%s begins at %v, want %v", e.Tag, e.Start, due)
		}
		same(t, e.Histogram, all[names[i]])
		merged, err := log.Merged(e.Tag)
		ok(t, err)
		same(t, merged, all[names[i]])
	}
}

// TestForeignLog reads a log without tags and base time. Its histograms have two
// digits and a range that grew by itself.
func TestForeignLog(t *testing.T) {
	log := readLog(t, readGolden(t, "absolute.hlog"))
	if len(log.Entries) != 3 {
		t.Fatalf("%d entries", len(log.Entries))
	}
	for i, e := range log.Entries {
		if e.Tag != "" || e.Start != time.Duration(i)*time.Second || e.Length != time.Second || e.Histogram.Count() != 1000 {
			t.Errorf("entry %d: %q, at %v for %v, %d values", i, e.Tag, e.Start, e.Length, e.Histogram.Count())
		}
	}
	merged, err := log.Merged("")
	ok(t, err)
	if last := log.Entries[2].Histogram; merged.Count() != 3000 || merged.Max() != last.Max() || merged.Clamped() != 0 {
		t.Errorf("%d values up to %v, want 3000 up to %v", merged.Count(), merged.Max(), last.Max())
	}
	if err := New().Merge(merged); err == nil {
		t.Error("two digits were merged into three")
	}
}

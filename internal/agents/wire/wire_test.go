package wire_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/results"
)

func joinFile(t testing.TB, change func(*wire.Join)) string {
	t.Helper()
	j := wire.Join{URL: "nats://h:1", Run: "r", SHA256: "ab", Agent: wire.Identity{Name: "a1", Secret: "s3cret"}, Expires: time.Now().Add(time.Hour)}
	if change != nil {
		change(&j)
	}
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAJoinFileIsRead(t *testing.T) {
	j, err := wire.ReadJoin(strings.NewReader(joinFile(t, nil) + "\nand the rest of standard input"))
	if err != nil || j.URL != "nats://h:1" || j.Agent != (wire.Identity{Name: "a1", Secret: "s3cret"}) {
		t.Errorf("%+v, %v", j, err)
	}
}

func TestJoinFilesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "is not one",
		"s3cret":            "is not one",
		`{"url": "s3cret"}`: "lacks a url, a run or an agent",
		joinFile(t, func(j *wire.Join) { j.Agent = wire.Identity{Secret: "s3cret"} }):               "lacks",
		joinFile(t, func(j *wire.Join) { j.Expires = time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC) }): "was good until 2020-01-02 03:04:05",
	} {
		if _, err := wire.ReadJoin(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadJoin(f *testing.F) {
	f.Add(joinFile(f, nil))
	f.Add("{")
	f.Fuzz(func(t *testing.T, text string) {
		if j, err := wire.ReadJoin(strings.NewReader(text)); err == nil && (j.URL == "" || j.Run == "" || j.Agent.Name == "") {
			t.Errorf("%+v is taken", j)
		}
	})
}

func TestAResultArrivesAsItWasSent(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	want := map[string]string{results.CellFile: `{"id": 1}`, results.IntervalsFile: strings.Repeat("a line\n", 100_000), results.ResponseFile: percentiles(t)}
	for name, text := range want {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(from, "notes.txt"), []byte("not a file of a cell"), 0o600); err != nil {
		t.Fatal(err)
	}
	packed, err := wire.Pack(from)
	if err != nil {
		t.Fatal(err)
	}
	var parcel wire.Parcel
	parcel.Describe(packed)
	if err := parcel.Check(bytes.NewReader(packed)); err != nil {
		t.Fatal(err)
	}
	if parcel.Check(bytes.NewReader(packed[1:])) == nil || parcel.Check(bytes.NewReader(append([]byte{packed[0] ^ 1}, packed[1:]...))) == nil {
		t.Error("a result that is another is taken")
	}
	if err := wire.Unpack(bytes.NewReader(packed), to, wire.MostBytes); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(to, "*"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || string(text) != want[filepath.Base(file)] {
			t.Errorf("%s differs, %v", file, err)
		}
	}
	if len(files) != len(want) {
		t.Errorf("%v, want %d files", files, len(want))
	}
}

// percentiles returns a table of percentiles.
func percentiles(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	if err := histogram.WritePercentiles(&text, histogram.New()); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// entry makes a piece with one file of so many zeros.
func entry(name string, kind byte, zeros int64) []byte {
	var text bytes.Buffer
	zipped := gzip.NewWriter(&text)
	archive := tar.NewWriter(zipped)
	_ = archive.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Linkname: "/etc/passwd", Mode: 0o644, Size: zeros})
	_, _ = io.CopyN(archive, zeroes{}, zeros)
	_, _ = archive.Close(), zipped.Close()
	return text.Bytes()
}

// zeroes is an endless file of zeros.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A result that is small on its way and large on the disk is refused, file by file and as a whole.
func TestAResultIsNoLargerThanThatOfACell(t *testing.T) {
	for name, tt := range map[string]struct {
		size int64
		want string
	}{
		results.ResponseFile:   {900 << 20, "response.hgrm has 943718400 B, and 1048576 are the most"},
		results.ServiceFile:    {1 << 19, "service.hgrm: reading percentiles"},
		results.CellFile:       {17 << 20, "cell.json has 17825792 B, and 16777216 are the most"},
		results.IntervalsFile:  {100 << 20, "it has more than 64 MiB"},
		results.ResourcesTable: {1 << 20, ""},
	} {
		dir := t.TempDir()
		err := wire.Unpack(bytes.NewReader(entry(name, tar.TypeReg, tt.size)), dir, 64<<20)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if _, there := os.Stat(filepath.Join(dir, name)); (there == nil) != (tt.want == "") {
			t.Errorf("%s: %v", name, there)
		}
	}
}

func TestAResultWritesNoOtherFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "in")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]byte{"../cell.json": tar.TypeReg, "/tmp/cell.json": tar.TypeReg, "agents/cell.json": tar.TypeReg, "x": tar.TypeReg, results.CellFile: tar.TypeSymlink} {
		if err := wire.Unpack(bytes.NewReader(entry(name, kind, 0)), dir, wire.MostBytes); err == nil || !strings.Contains(err.Error(), "is no file of a cell") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(files) != 1 {
		t.Errorf("%v", files)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(entry(results.CellFile, tar.TypeReg, 3))
	f.Add(entry(results.ResponseFile, tar.TypeReg, 100))
	f.Add(entry("../x", tar.TypeReg, 0))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := filepath.Join(t.TempDir(), "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_ = wire.Unpack(bytes.NewReader(text), dir, 1<<20)
		if files, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(files) != 1 {
			t.Errorf("%v", files)
		}
	})
}

func TestASubjectOfAResultIsReadAsItWasWritten(t *testing.T) {
	s := wire.Subjects{Run: "run"}
	if agent, key, chunk, ok := s.ReadResult(s.Result("a1", "7", 12)); agent != "a1" || key != "7" || chunk != 12 || !ok {
		t.Errorf("%s, %s, %d, %v", agent, key, chunk, ok)
	}
	for _, subject := range []string{"", s.Beat("a1"), "bb.other.result.a1.7.12", "bb.run.result.a1.7", "bb.run.result.a1.7.x", "bb.run.result.a1.7.+1"} {
		if _, _, _, ok := s.ReadResult(subject); ok {
			t.Errorf("%q is taken", subject)
		}
	}
}

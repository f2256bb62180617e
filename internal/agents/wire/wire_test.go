package wire_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	want := map[string]string{results.CellFile: `{"id": 1}`, results.IntervalsFile: strings.Repeat("a line\n", 100_000), results.ResponseFile: ""}
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
	if err := parcel.Check(packed); err != nil {
		t.Fatal(err)
	}
	if parcel.Check(packed[1:]) == nil || parcel.Check(append([]byte{packed[0] ^ 1}, packed[1:]...)) == nil {
		t.Error("a result that is another is taken")
	}
	if err := wire.Unpack(packed, to); err != nil {
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

// packed makes a piece with one file.
func packed(name string, kind byte) []byte {
	var text bytes.Buffer
	zipped := gzip.NewWriter(&text)
	archive := tar.NewWriter(zipped)
	_ = archive.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Linkname: "/etc/passwd", Mode: 0o644})
	_, _ = archive.Close(), zipped.Close()
	return text.Bytes()
}

func TestAResultWritesNoOtherFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "in")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]byte{"../cell.json": tar.TypeReg, "/tmp/cell.json": tar.TypeReg, "agents/cell.json": tar.TypeReg, "x": tar.TypeReg, results.CellFile: tar.TypeSymlink} {
		if err := wire.Unpack(packed(name, kind), dir); err == nil || !strings.Contains(err.Error(), "is no file of a cell") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(files) != 1 {
		t.Errorf("%v", files)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(packed(results.CellFile, tar.TypeReg))
	f.Add(packed("../x", tar.TypeReg))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := filepath.Join(t.TempDir(), "in")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		_ = wire.Unpack(text, dir)
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

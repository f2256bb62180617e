package results

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// wantRefused wants a file of a result to be refused before it fills the memory.
func wantRefused(t *testing.T, name, text string, size int64, says string, most uint64) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, max(size, int64(len(text)))); err != nil { // a hole, which reads as zeros
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var err error
	if name == RunFile {
		_, err = (&Store{dir}).Run()
	} else {
		_, err = OpenCell(dir).Read()
	}
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
		t.Errorf("%s: error %v, want %q", name, err, says)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > most {
		t.Errorf("%s: %d MiB were allocated, want at most %d", name, got>>20, most>>20)
	}
}

func TestAHugeFileIsRefused(t *testing.T) {
	for _, name := range []string{RunFile, CellFile} {
		wantRefused(t, name, "{", 4<<30, "16 MiB", 128<<20)
	}
}

// Each empty object takes two or three bytes of text, and some hundred of memory.
func TestAFileOfManyObjectsIsRefused(t *testing.T) {
	many := "[{}" + strings.Repeat(",{}", 4<<20) + "]"
	wantRefused(t, RunFile, `{"cells":`+many+`}`, 0, "objects, more than 262144", 128<<20)
	wantRefused(t, CellFile, `{"slos":`+many+`}`, 0, "objects, more than 262144", 128<<20)
}

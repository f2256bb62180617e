package payload_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan/payload"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]payload.Spec{
		"random": "", "compressible(0.5)": "compressible(0.5)", "compressible(.25)": "compressible(.25)", "file:/a b": "file:/a b",
	} {
		if got, err := payload.Parse(text); got != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if s := payload.Spec("compressible(.25)"); s.Share() != 0.25 || s.Dir() != "" {
		t.Errorf("share %v, folder %q", s.Share(), s.Dir())
	}
	for _, text := range []string{"zeros", "file:", "compressible", "compressible(0)", "compressible(0.0)", "compressible(1)", "compressible(1.5)", "compressible(-0.5)", "compressible(0.5) "} {
		if got, err := payload.Parse(text); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// folder makes a folder of files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A message is a file, in the order of names; hidden files and folders are none.
func TestReadAFolder(t *testing.T) {
	dir := folder(t, map[string]string{"b.json": strings.Repeat("b", 300), "a": strings.Repeat("a", 16), ".hidden": ""})
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	f, contents, err := payload.Read(dir)
	if err != nil || f.Count != 2 || f.Bytes != 316 || f.Largest != 300 || len(contents) != 2 || contents[0][0] != 'a' || contents[1][0] != 'b' {
		t.Errorf("%+v, %d contents, %v", f, len(contents), err)
	}
	got, err := payload.Spec("file:" + dir).Contents(f)
	if err != nil || len(got.Files) != 2 || !bytes.Equal(got.Files[1], contents[1]) || got.Beside {
		t.Errorf("%d files, %v", len(got.Files), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), bytes.Repeat([]byte("A"), 16), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := payload.Spec("file:" + dir).Contents(f); err == nil || !strings.Contains(err.Error(), "the files have changed") {
		t.Errorf("of a file that has changed: %v", err)
	}
}

// What is wrong with a folder is one line that names the file and the remedy.
func TestFoldersThatAreRefused(t *testing.T) {
	large := folder(t, map[string]string{"large": ""})
	if err := os.Truncate(filepath.Join(large, "large"), 65<<20); err != nil {
		t.Fatal(err)
	}
	linked := folder(t, nil)
	if err := os.Symlink(t.TempDir(), filepath.Join(linked, "link")); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		filepath.Join(large, "none"):               "no such file",
		folder(t, nil):                             "has no files: want one for each message",
		folder(t, map[string]string{"x": "short"}): "x has 5 B, below the 16 B a stamp needs: remove it, or make it longer",
		large:  "more than 10000 files or 64 MiB",
		linked: "is no file",
	} {
		_, _, err := payload.Read(dir)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

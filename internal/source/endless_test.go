//go:build unix

package source

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// soon fails the test if f does not return.
func soon(t *testing.T, f func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
}

// Nobody may ever write to a pipe, and a device never ends.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"pipe.hlog", results.RunFile} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, what := range map[string]string{
		"/dev/zero": "a device", filepath.Join(dir, "pipe.hlog"): "a pipe", filepath.Join(dir, results.RunFile): "a pipe", dir: "a pipe",
	} {
		soon(t, func() {
			_, _, err := Find([]string{path})
			if err == nil || !strings.Contains(err.Error(), "it is "+what+", neither a regular file nor standard input") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %v", path, err)
			}
		})
	}
}

// stdin makes what is written to the pipe the standard input, and returns its path.
func stdin(t *testing.T, write func(w io.Writer)) (path string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	os.Stdin = r
	t.Cleanup(func() { os.Stdin = before; _ = r.Close() })
	go func() { defer w.Close(); write(w) }()
	return fmt.Sprintf("/dev/fd/%d", r.Fd())
}

func TestStandardInputIsRead(t *testing.T) {
	if _, err := os.Stat("/dev/fd/0"); err != nil {
		t.Skip(err)
	}
	path := stdin(t, func(w io.Writer) {
		log := histogram.NewLogWriter(w, time.Unix(1, 0))
		h := histogram.New()
		h.Record(time.Millisecond)
		for range 2 {
			_ = log.Write("", 0, time.Second, h)
		}
	})
	soon(t, func() {
		found, _, err := Find([]string{path})
		if err != nil {
			t.Error(err)
			return
		}
		for range 2 { // a chart may read it for each tag
			total, err := found[0].Sum("")
			if err != nil || total.Histogram().Count() != 2 {
				t.Errorf("%+v, %v", total, err)
			}
		}
	})
}

func TestAnEndlessStandardInputIsRefused(t *testing.T) {
	if _, err := os.Stat("/dev/fd/0"); err != nil {
		t.Skip(err)
	}
	path := stdin(t, func(w io.Writer) {
		for _, err := w.Write(make([]byte, 1<<16)); err == nil; {
			_, err = w.Write(make([]byte, 1<<16))
		}
	})
	soon(t, func() {
		_, _, err := Find([]string{path})
		if err == nil || !strings.Contains(err.Error(), "64 MiB") {
			t.Errorf("error %v", err)
		}
		_ = os.Stdin.Close()
	})
}

// Each tag has a sum of its own.
func TestALogOfManyWideTagsIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.hlog")
	var text strings.Builder
	log := histogram.NewLogWriter(&text, time.Unix(1, 0))
	h := histogram.New()
	h.Record(time.Hour)
	for i := range 1000 {
		if err := log.Write(fmt.Sprintf("t%d", i), 0, time.Second, h); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	found, _, err := Find([]string{path})
	if err == nil {
		_, err = found[0].Sum("t0")
	}
	if err == nil || !strings.Contains(err.Error(), "its 4") || !strings.Contains(err.Error(), "128 MiB") {
		t.Errorf("error %v", err)
	}
}

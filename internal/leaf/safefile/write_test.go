package safefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestAFileIsReplacedByAWholeOneOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	broken := errors.New("broken")
	for _, tt := range []struct {
		write func(io.Writer) error
		err   error
		want  string
	}{
		{text("first"), nil, "first"},
		{text("second"), nil, "second"},
		{func(w io.Writer) error { return errors.Join(text("half")(w), broken) }, broken, "second"},
	} {
		if err := safefile.Write(path, tt.write); !errors.Is(err, tt.err) {
			t.Errorf("Write: %v, want %v", err, tt.err)
		}
		if got, err := os.ReadFile(path); string(got) != tt.want {
			t.Errorf("the file holds %q (%v), want %q", got, err, tt.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestAFileHasNoNameBeforeItIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, keep := range []bool{false, true} {
		f, err := safefile.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 10_000 { // more than a buffer holds
			if _, err := io.WriteString(f, "line\n"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("the file has its name before it is whole")
		}
		if !keep {
			f.Discard()
		} else if err := f.Commit(); err != nil {
			t.Error(err)
		}
		if got, _ := os.ReadFile(path); keep != (len(got) == 50_000) {
			t.Errorf("kept %v: %d bytes", keep, len(got))
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
			t.Errorf("temporary files are left: %v", left)
		}
	}
}

// An error names the file that was asked for and the cause, once.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	unread := func(io.Writer) error {
		_, err := os.Open(filepath.Join(dir, "other"))
		return err
	}
	for _, tt := range []struct {
		path, says string
		write      func(io.Writer) error
	}{
		{filepath.Join(dir, "no", "file"), "no such file", text("")},
		{filepath.Join(dir, "folder"), "", text("")}, // the cause depends on the system
		{filepath.Join(dir, "file"), filepath.Join(dir, "other"), unread},
	} {
		err := safefile.Write(tt.path, tt.write)
		if err == nil || !strings.HasPrefix(err.Error(), "writing "+tt.path+": ") || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v, want %q and %q", err, tt.path, tt.says)
		} else if strings.Contains(err.Error(), filepath.Join(filepath.Dir(tt.path), ".")+string(filepath.Separator)+".") {
			t.Errorf("%v names the temporary file", err)
		}
	}
}

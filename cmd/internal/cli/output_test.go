package cli

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// No output replaces what it was made from, or a file of a result.
func TestAnOutputReplacesNoResult(t *testing.T) {
	t.Parallel()
	dir := measured(t)
	cell := filepath.Dir(firstOf(t, filepath.Join(dir, results.CellsFolder, "*", results.CellFile)))
	log := filepath.Join(cell, results.IntervalsFile)
	copied := filepath.Join(t.TempDir(), "copy.hlog")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		file string
		args []string
	}{
		{filepath.Join(dir, results.RunFile), []string{"report", dir, "-o"}},
		{filepath.Join(cell, results.CellFile), []string{"report", dir, "-o"}},
		{log, []string{"merge", cell, "-o"}},
		{filepath.Join(cell, results.ResponseFile), []string{"merge", cell, "-o"}},
		{copied, []string{"merge", copied, "-o"}},
	} {
		before, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		code, _, stderr := invoke(append(tt.args, tt.file, "--force")...)
		wantCode(t, code, command.ExitUsage, stderr, "another")
		if after, err := os.ReadFile(tt.file); err != nil || string(after) != string(before) {
			t.Errorf("%v changed %s (%v)", tt.args, tt.file, err)
		}
	}
	code, _, stderr := invoke("report", dir, "-o", filepath.Join(dir, analysis.ReportFile), "--force")
	wantCode(t, code, command.ExitGood, stderr)
}

func firstOf(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	return found[0]
}

// A file that exists is replaced by no command, but with --force. It is refused
// before anything is measured.
func TestAnOutputReplacesNothing(t *testing.T) {
	run := written(t, 1, "1", "kafka")
	path := func(name string) string { return filepath.Join(t.TempDir(), name) }
	out := t.TempDir()
	short := []string{"loopback:", "--out", out, "--rate", "100", "--duration", "200ms", "--warmup", "0s", "--floor", "off", "--report=off", "-q"}
	for _, tt := range []struct {
		file string
		args []string
	}{
		{"x.json", append([]string{"run"}, short...)},
		{"x.html", []string{"report", run}},
		{"x.md", []string{"report", run}},
		{"x.svg", []string{"plot", "percentiles", run}},
		{"x.hgrm", []string{"merge", run}},
		{"x.csv", []string{"compare", run, run}},
		{"x.txt", []string{"history", run}},
		{"x.json", []string{"plan", "loopback:"}},
		{"x.json", []string{"brokers"}},
		{"x.json", []string{"version"}},
		{"x.json", []string{"config", "schema"}},
		{"x.yaml", []string{"config", "init"}},
	} {
		file := path(tt.file)
		args := append(tt.args, "-o", file)
		if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := invoke(args...)
		wantCode(t, code, command.ExitUsage, stderr, "--output "+file+": the file exists: name another, or add --force")
		wantOneLine(t, stderr)
		if text, err := os.ReadFile(file); err != nil || string(text) != "old" || stdout != "" {
			t.Errorf("%v: the file holds %.100q, %v; it prints %q", args, text, err, stdout)
		}
		if made, _ := filepath.Glob(filepath.Join(out, "*")); tt.args[0] == "run" && made != nil {
			t.Errorf("measured before the file was refused: %v", made)
		}
		unspoiled(func() bool {
			code, _, stderr = invoke(append(args, "--force")...)
			return code != command.ExitInvalid
		})
		wantCode(t, code, command.ExitGood, stderr)
		if text, err := os.ReadFile(file); err != nil || len(text) <= len("old") {
			t.Errorf("%v: the file holds %q, %v", args, text, err)
		}
	}
}

// What a file's name ends with is its format. --format says it of names that do not, and
// must not say another one.
func TestTheNameOfAFileIsItsFormat(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]document.Format{
		"a.json": document.JSON, "a.csv": document.CSV, "a.MD": document.Markdown, "a.txt": document.Text, "a": document.Text,
	} {
		file := filepath.Join(dir, name)
		code, stdout, stderr := invoke("brokers", "-o", file)
		wantCode(t, code, command.ExitGood, stderr)
		text, err := os.ReadFile(file)
		if _, printed, _ := invoke("brokers", "--format", string(want)); err != nil || string(text) != printed || stdout != "file: "+file+"\n" {
			t.Errorf("%s: %v, %s%s", name, err, text, stdout)
		}
	}
	file := filepath.Join(dir, "b.json")
	code, _, stderr := invoke("brokers", "-o", file, "--format", "csv")
	wantCode(t, code, command.ExitUsage, stderr)
	wantTexts(t, stderr, "the name says json")
	code, _, stderr = invoke("brokers", "-o", filepath.Join(dir, "b.xyz"))
	wantCode(t, code, command.ExitUsage, stderr)
	wantTexts(t, stderr, "no format of this command is called .xyz", ".txt, .json, .csv, .md")
	code, _, stderr = invoke("brokers", "-o", filepath.Join(dir, "b.xyz"), "--format", "csv")
	wantCode(t, code, command.ExitGood, stderr)
	code, stdout, stderr := invoke("brokers", "-o", "-", "--format", "csv")
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "broker,schemes")
}

// What used to be a format is not taken for the name of a file.
func TestAFormatIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"run", "loopback:", "-o", "json"}, {"compare", "a", "b", "--output", "md"}, {"search", "loopback:", "-o", "CSV"}, {"version", "-otable"}, {"report", "a", "-o", "html"},
	} {
		code, _, stderr := invoke(args...)
		wantCode(t, code, command.ExitUsage, stderr, "-o is a file; did you mean --format ")
		wantOneLine(t, stderr)
	}
	code, _, stderr := invoke("version", "-o", "./json")
	wantCode(t, code, command.ExitGood, stderr)
	if left, _ := filepath.Glob("*"); len(left) != 1 {
		t.Errorf("files %v", left)
	}
}

// A device stays what it is, and a link stays a link.
func TestAnOutputOfAnotherKind(t *testing.T) {
	code, _, stderr := invoke("version", "-o", os.DevNull)
	wantCode(t, code, command.ExitGood, stderr)
	if there, err := os.Lstat(os.DevNull); err != nil || there.Mode()&os.ModeDevice == 0 {
		t.Fatalf("%v is %v, %v", os.DevNull, there.Mode(), err)
	}
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = invoke("version", "-o", link, "--force")
	wantCode(t, code, command.ExitGood, stderr)
	if text, err := os.ReadFile(file); err != nil || len(text) == 0 {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Error(err)
	}
	code, _, stderr = invoke("version", "-o", dir, "--force")
	wantCode(t, code, command.ExitUsage, stderr, "it is a folder")
	code, _, stderr = invoke("version", "-o", "")
	wantCode(t, code, command.ExitUsage, stderr, "want a file, or - for standard output")
}

// --force does not replace the plan that is read.
func TestAnOutputDoesNotReplaceItsPlan(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.yaml")
	const text = "targets: ['loopback:']\nmatrix: {rate: 100}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run", "plan", "doctor"} {
		code, _, stderr := invoke(name, "-f", file, "-o", file, "--force")
		wantCode(t, code, command.ExitUsage, stderr, "it is read for this output")
	}
	if kept, err := os.ReadFile(file); err != nil || string(kept) != text {
		t.Errorf("%q, %v", kept, err)
	}
}

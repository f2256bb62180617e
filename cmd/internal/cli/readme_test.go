package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// commandLine finds the command lines in a document: behind a $, or alone.
var commandLine = regexp.MustCompile(`(?m)^(?:\$ |    )?(?:go run \./cmd/)?brokerbench ((?:run|search|plan|config|brokers|version|report|compare|plot|merge|verify|doctor|ab|history|list)[^#\n]*)`)

// TestDocumentedCommands executes every command line of the documents, `run` as a
// dry run.
func TestDocumentedCommands(t *testing.T) {
	root := "../../.."
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	n := 0
	for _, document := range append(documents, "README.md") {
		document = strings.TrimPrefix(document, root+"/")
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range commandLine.FindAllSubmatchIndex(text, -1) {
			n++
			line, shown := string(text[at[2]:at[3]]), text[at[3]:]
			args, want := split(line), command.ExitGood
			if shown, _, _ = bytes.Cut(shown, []byte("```")); bytes.Contains(shown, []byte("(exit code 2)")) {
				want = command.ExitUsage
			}
			switch args[0] {
			case "run":
				if args = append(args, "--dry-run"); strings.Contains(line, "trace:") || strings.Contains(line, "./my-") {
					args = append(args, "--help") // the file of the reader
				}
			case "verify", "doctor", "report", "compare", "search", "plot", "merge", "ab", "history":
				args = append(args, "--help") // after the flags have been read: they take their time
			case "config":
				if args[1] == "import" {
					args = append(args, "--help") // the files of the reader
				}
			}
			code, _, stderr := invoke(args...)
			if code != want {
				t.Errorf("%s: brokerbench %s: exit code %d, want %d: %s", document, line, code, want, stderr)
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d command lines found", n)
	}
}

// The program for a system of one's own in README measures that system.
func TestTheProgramInREADMEMeasures(t *testing.T) {
	t.Chdir("../../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	source, _, found := strings.Cut(rest, "```")
	if n := strings.Count(source, "\n"); !found || n > 26 {
		t.Fatalf("%d lines of a program, want 1 to 26", n)
	}
	folder, err := os.MkdirTemp(".", "readme-program-") // of this module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", program, "./"+folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program, "run", "mine://h", "--duration", "1s", "--warmup", "0s", "--floor", "off", "-q", "--format", "csv", "--out", t.TempDir()).Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != command.ExitInvalid) {
		t.Fatal(err) // invalid: a busy machine
	}
	wantTexts(t, string(out), ",mine,")
}

// split splits a command line at spaces, outside of single quotes.
func split(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}

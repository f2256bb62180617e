package cli

import (
	"bytes"
	"os"
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
				args = append(args, "--dry-run")
			case "verify", "doctor", "report", "compare", "search", "plot", "merge", "ab", "history":
				args = append(args, "--help") // after the flags have been read: they take their time
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

package cli

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/report/document"
)

// Every command that prints a table prints it as JSON, CSV and Markdown, too.
func TestEveryTableInEveryFormat(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "loopback:", "nats://u:secret@h"},
		{"version"},
		{"brokers"},
		{"brokers", "kafka"},
		{"run", "loopback:", "--dry-run"},
	} {
		for _, format := range document.Formats() {
			code, stdout, stderr := command(append(args, "-o", string(format))...)
			if wantCode(t, code, exitGood, stderr); strings.Contains(stdout, "secret") {
				t.Errorf("%q prints a password:\n%s", args, stdout)
			}
			wantFormat(t, format, stdout)
		}
		code, _, stderr := command(append(args, "-o", "cvs")...)
		wantCode(t, code, exitUsage, stderr, `--output "cvs": want table, json, csv or md (did you mean "csv"?)`)
	}
}

// wantFormat wants text to be what the format's name says.
func wantFormat(t *testing.T, format document.Format, text string) {
	t.Helper()
	var err error
	switch format {
	case "json":
		err = json.Unmarshal([]byte(text), new(any))
	case "csv":
		_, err = csv.NewReader(strings.NewReader(text)).ReadAll() // rows of equal length
	case "md":
		if !strings.HasPrefix(text, "| ") || !strings.Contains(text, "|\n| :--") {
			t.Errorf("no Markdown:\n%s", text)
		}
	}
	if err != nil {
		t.Errorf("%s: %v:\n%s", format, err, text)
	}
}

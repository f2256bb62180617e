package cli

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// Every command that prints a table prints it in every format, and no password.
func TestEveryTableInEveryFormat(t *testing.T) {
	base, slow := written(t, 1, "1", "kafka"), written(t, 1.5, "1", "kafka")
	for _, tt := range []struct {
		args string
		flag string
		says string
	}{
		{"plan loopback: nats://u:secret@h", "--format", "loopback"},
		{"version", "--format", "brokerbench"},
		{"brokers", "--format", "kafka"},
		{"brokers kafka", "--format", "acks"},
		{"run loopback: --dry-run", "--format", "loopback"},
		{"compare " + base + " " + slow, "--format", "slower"},
		{"merge " + goldenFiles + "golden.hlog --tag uniform", "--format", "golden.hlog"},
		{"report " + base, "--format", "kafka"},
	} {
		args := append(strings.Fields(tt.args), tt.flag)
		for _, format := range document.Formats() {
			code, stdout, stderr := invoke(append(args, string(format))...)
			if wantCode(t, code, command.ExitGood, stderr); !strings.Contains(stdout, tt.says) || strings.Contains(stdout, "secret") {
				t.Errorf("%s as %s: want %q, and no password:\n%s", tt.args, format, tt.says, stdout)
			}
			wantFormat(t, format, stdout)
		}
		code, _, stderr := invoke(append(args, "cvs")...)
		wantCode(t, code, command.ExitUsage, stderr, tt.flag+` "cvs": want `, `table, json, csv`, `(did you mean "csv"?)`)
	}
}

// wantFormat wants text to be what the format's name says.
func wantFormat(t *testing.T, format document.Format, text string) {
	t.Helper()
	var err error
	switch format {
	case document.JSON:
		err = json.Unmarshal([]byte(text), new(any))
	case document.CSV:
		_, err = csv.NewReader(strings.NewReader(text)).ReadAll() // rows of equal length
	case document.Markdown:
		if !strings.Contains(text, "|\n| :--") {
			t.Errorf("no Markdown:\n%s", text)
		}
	case document.Text:
	}
	if err != nil {
		t.Errorf("%s: %v:\n%s", format, err, text)
	}
}

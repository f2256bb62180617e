package words_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"p99 ±5 ms\n\tand more":      "p99 ±5 ms\n\tand more",
		"refused: \x1b[2J\x1b]0;x\a": "refused: \ufffd[2J\ufffd]0;x\ufffd",
		"done\rFAILED\b\x7f":         "done\ufffdFAILED\ufffd\ufffd",
		"\u009b2J\x9b2J":             "\ufffd2J\ufffd2J",
		"a\u202etxt.exe":             "a\ufffdtxt.exe",
	} {
		if got := words.Plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

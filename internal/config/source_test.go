package config

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	tests := map[string]string{
		"nats://h:4222":                         "nats://h:4222",
		"url: nats://h # mail me":               "url: nats://h # mail me",
		"url: amqp://guest:s3cret@h":            "url: amqp://xxxxx@h",
		"url: amqp://token@h":                   "url: amqp://xxxxx@h",
		"redis://:s3cret@h/0":                   "redis://xxxxx@h/0",
		`"url":"amqp://u:s3@cret@h"`:            `"url":"amqp://xxxxx@h"`,
		"amqp:/u:s3cret@h":                      "amqp:/xxxxx@h",
		"amqp:u:s3cret@h":                       "amqp:xxxxx@h",
		"amqp:///u:s3cret@h":                    "amqp:///xxxxx@h",
		"amqp://u:s3 cr/et?#@h":                 "amqp://xxxxx@h",
		"amqp://-u:-s3cret@h":                   "amqp://xxxxx@h",
		"kafka+tls://u:s3cret@a,b":              "kafka+tls://xxxxx@a,b",
		"${URL:-amqp://guest:s3cret@h}":         "${URL:-amqp://xxxxx@h}",
		"[nats://a, amqp://u:s3cret@b, kafka:]": "[nats://xxxxx@b, kafka:]",
		"no URL, only me@there":                 "no URL, only me@there",
	}
	for text, want := range tests {
		if got := redact(text); got != want {
			t.Errorf("redact(%q) = %q, want %q", text, got, want)
		}
	}
}

// Whatever is wrong beside a password, and wherever the mark stands, the password
// is not in the excerpt.
func TestExcerptHidesAtEveryColumn(t *testing.T) {
	line := "  - {name: é, url: \"amqp://guest:s3cret@h/" + strings.Repeat("x", 120) + "\"}"
	src := newSource("p", []byte(line))
	for column := range len(line) + 10 {
		excerpt := src.excerpt(place{line: 1, column: column}, func(text string) string { return text })
		if strings.Contains(excerpt, "s3cret") || strings.Count(excerpt, "^") != 1 {
			t.Fatalf("column %d:\n%s", column, excerpt)
		}
	}
}

func TestExcerptMarksWhatIsBesideHidden(t *testing.T) {
	src := newSource("p", []byte("{a: 'amqp://guest:s3cret@h', b: 1}"))
	tests := map[int]string{
		2:  "{",                      // before the hidden
		16: "{a: 'amqp://",           // in it: its beginning
		30: "{a: 'amqp://xxxxx@h', ", // behind it
	}

	for column, before := range tests {
		lines := strings.Split(src.excerpt(place{line: 1, column: column}, func(text string) string { return text }), "\n")
		if got := lines[0][:strings.Index(lines[1], "^")]; got != "      1 | "+before {
			t.Errorf("column %d: the mark is behind %q, want %q", column, got, before)
		}
	}
}

func TestExcerptKeepsTabs(t *testing.T) {
	src := newSource("p", []byte("a:\t\t1"))
	want := "      1 | a:\t\t1\n        |   \t\t^\n"
	if got := src.excerpt(place{line: 1, column: 5}, redact); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesAreYAMLs(t *testing.T) {
	src := newSource("p", []byte("\ufeffa\r\nb\rc\nd\u0085e\u2028f\u2029g"))
	if got := strings.Join(src.lines, "|"); got != "a|b|c|d|e|f|g" {
		t.Errorf("got %s", got)
	}
	for line, want := range map[int]string{0: "", 1: "a", 7: "g", 8: ""} {
		if got := src.line(line); got != want {
			t.Errorf("line %d is %q, want %q", line, got, want)
		}
	}
}

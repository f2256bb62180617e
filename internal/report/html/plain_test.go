package html

import (
	"encoding/json"
	"testing"
)

// The page has no control characters, and what looks like an escape and is none stays.
func TestThePageHasNoControlCharacters(t *testing.T) {
	for text, want := range map[string]string{"a\x1b[2Jb": "a\ufffd[2Jb", `C:\u001b`: `C:\u001b`, "a\nb\"": "a\nb\"", "\u009b": "\ufffd"} {
		data, err := json.Marshal([]string{text})
		var got []string
		if err == nil {
			err = json.Unmarshal(plain(data), &got)
		}
		if err != nil || got[0] != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

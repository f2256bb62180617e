package suggest_test

import (
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
)

func TestFor(t *testing.T) {
	names := []string{"rate", "size", "connections", "in-flight", "duration"}
	tests := []struct {
		word, want string
		ok         bool
	}{
		{"rtae", "rate", true},
		{"Rate", "rate", true},
		{"conections", "connections", true},
		{"conn", "connections", true},
		{"durations", "duration", true},
		{"banana", "", false},
		{"", "", false},
	}
	for _, tt := range tests {
		got, ok := suggest.For(tt.word, names)
		if ok != tt.ok || (ok && got != tt.want) {
			t.Errorf("For(%q) = %q, %v; want %q, %v", tt.word, got, ok, tt.want, tt.ok)
		}
	}
}

func TestForWithoutCandidates(t *testing.T) {
	if got, ok := suggest.For("x", nil); ok {
		t.Errorf("For(x, nil) = %q, true; want nothing", got)
	}
}

func ExampleHint() {
	fmt.Println("unknown option lingre" + suggest.Hint("lingre", []string{"linger", "acks"}))
	// Output: unknown option lingre (did you mean "linger"?)
}

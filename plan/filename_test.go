package plan_test

import (
	"regexp"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

func TestFileName(t *testing.T) {
	seen := make(map[string]string)
	for _, name := range []string{
		"nats", "nats-2", "a.b_c", "größe", "grosse", "grö\u0308ße", "東京", "大阪", "東京-2", "café", "cafe\u0301", "Ω", "é",
	} {
		got := plan.FileName(name)
		if other, twice := seen[got]; twice || !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(got) {
			t.Errorf("%q is %q, as %q", name, got, other)
		}
		seen[got] = name
		if regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(name) && got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	if got, want := plan.FileName("größe"), "gr-e-cd38f49a"; got != want {
		t.Errorf("got %q, want %q: results that exist would not be found", got, want)
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("größe", "gr-e")
	f.Fuzz(func(t *testing.T, a, b string) {
		got := plan.FileName(a)
		if a != "" && !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(got) {
			t.Errorf("%q is %q", a, got)
		}
		if a != b && got == b && got != a {
			t.Logf("%q has the name of %q: Validate tells", a, b)
		}
	})
}

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
	for _, name := range []string{"größe", "nats", "_é", "\xff", "../../etc", "a b"} {
		f.Add(name)
	}
	good := regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	f.Fuzz(func(t *testing.T, name string) {
		got := plan.FileName(name)
		if name != "" && !good.MatchString(got) || plan.FileName(got) != got {
			t.Errorf("%q is %q", name, got)
		}
	})
}

// Two targets whose files would have the same name are refused like two of one name.
func TestTargetsWithTheSameFileName(t *testing.T) {
	p := plan.Plan{
		Targets:  []plan.Target{{Name: "größe", URL: "nats://h"}, {Name: "gr-e-cd38f49a", URL: "nats://h"}},
		Shapes:   []plan.Shape{{Rate: 1, Size: 64, Connections: 1}},
		Settings: plan.Settings{Duration: 1, Timeout: 1},
	}
	const want = `the targets "größe" and "gr-e-cd38f49a" have the same file names`
	if err := p.Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	p.Targets[1].Name = "grösse"
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

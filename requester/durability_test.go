package requester_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

func TestDurabilitiesAreAScale(t *testing.T) {
	all := requester.Durabilities()
	for i, d := range all {
		if !d.Valid() || d.Meaning() == "" {
			t.Errorf("%q: valid %v, meaning %q", d, d.Valid(), d.Meaning())
		}
		for j, other := range all {
			if got := d.AtLeast(other); got != (i >= j) {
				t.Errorf("%s at least %s: %v", d, other, got)
			}
		}
	}
	unknown := requester.Durability("disk")
	if unknown.Valid() || unknown.Meaning() != "" || unknown.AtLeast(requester.None) || !requester.None.AtLeast("") {
		t.Error("what is no level counts as one")
	}
}

// What was asked for counts, unless less is backed.
func TestPromised(t *testing.T) {
	for _, c := range []struct{ level, asked, want requester.Durability }{
		{requester.Machine, requester.Process, requester.Process},
		{requester.Accepted, requester.Process, requester.Accepted},
		{requester.Machine, "", requester.Machine},
	} {
		if got := (requester.Backing{Level: c.level, Asked: c.asked}).Promised(); got != c.want {
			t.Errorf("%s backed, %q asked for: %s, want %s", c.level, c.asked, got, c.want)
		}
	}
}

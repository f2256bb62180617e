package simulation

import (
	"strings"
	"testing"
)

func TestAPageIsMarkdown(t *testing.T) {
	p := NewPage(t, "none", "# What was simulated")
	p.Table("Coverage, in percent:", "case", "covered")
	p.Row("independent", "95")
	const want = "# What was simulated\n\nCoverage, in percent:\n\n| case | covered |\n|---|---|\n| independent | 95 |\n"
	if got := p.text.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if root, err := moduleRoot(); err != nil || strings.Contains(root, "internal") {
		t.Errorf("%q, %v", root, err)
	}
}

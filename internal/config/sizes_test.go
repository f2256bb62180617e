package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
)

func TestSeveralSizes(t *testing.T) {
	const mix = "256B:90%,65536B:10%"
	for name, tt := range map[string]struct {
		file  string
		flags []string
		want  string // Size and Sizes of each shape
	}{
		"flag":              {"", []string{"256B:90%,64KiB:10%"}, "0 " + mix},
		"spaces and order":  {"", []string{"64KiB: 10 %, 256B :90%"}, "0 " + mix},
		"among others":      {"", []string{"1KiB,256B:90%,64KiB:10%,16B:50%,32B:50%,2KiB"}, "1024 ; 0 " + mix + "; 0 16B:50%,32B:50%; 2048 "},
		"two flags":         {"", []string{"256B:90%,64KiB:10%", "1KiB"}, "0 " + mix + "; 1024 "},
		"mapping":           {"matrix: {size: {256B: 90%, 64KiB: 10%}}", nil, "0 " + mix},
		"mapping in a list": {"matrix: {size: [1KiB, {256B: 90%, 64KiB: 10%}]}", nil, "1024 ; 0 " + mix},
		"text":              {"matrix:\n  size: 256B:90%,64KiB:10%", nil, "0 " + mix},
		"cell":              {"cells: [{size: {16: 99.5%, 64KiB: 0.5 %}}, {size: 1KiB}]", nil, "0 16B:99.5%,65536B:0.5%; 1024 "},
		"flag over file":    {"matrix: {size: {256B: 90%, 64KiB: 10%}}", []string{"1KiB"}, "1024 "},
	} {
		var got []string
		for _, s := range load(t, tt.file, config.Values{"size": tt.flags}).Shapes {
			got = append(got, fmt.Sprintf("%d %s", s.Size, s.Sizes))
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
}

// A mistake in the sizes has one line.
func TestSizesThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"256B:90%,64KiB:9%":          "the weights add up to 99%, not 100%",
		"256B:90%,64KiB:11%":         "the weights add up to 101%, not 100%",
		"256B:100%":                  "a single size has no weight",
		"256B:90%,64KiB:10":          "want a size and its weight",
		"8B:90%,64KiB:10%":           "size 8 B is below the 16 B",
		"256B:50%,256B:50%":          "256 B is there twice",
		"256B:90%,2GiB:10%":          "above 1073741824 B",
		"256B:0%,64KiB:100%":         "want a weight above 0 %",
		"256B:99.99999%,1KB:0.0001%": "four decimals",
		"256B:90%,1K:10%":            "want bytes",
	} {
		_, err := config.Parse("", nil, config.Overrides{Flags: config.Values{"size": {text}}}, testOptions())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(strings.TrimSpace(err.Error()), "\n") > 0 {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

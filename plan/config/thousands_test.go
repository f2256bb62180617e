package config_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan/config"
)

// A number with a comma is a list with a value that nobody would write. A list that
// may be one stays one.
func TestNumbersWithCommas(t *testing.T) {
	for _, tt := range []struct{ key, text, want string }{
		{"rate", "1,000", "1,000 is two rates, 1 and 000: write 1000 or 1k"},
		{"rate", "10,000", "10,000 is two rates, 10 and 000: write 10000 or 10k"},
		{"rate", "1,000,3000", "1,000 is two rates, 1 and 000: write 1000 or 1k"},
		{"rate", "3000,1,000", "1,000 is two rates, 1 and 000: write 1000 or 1k"},
		{"rate", "1,000,000", "1,000,000 is three rates, 1, 000 and 000: write 1000000 or 1M"},
		{"rate", "2,500,000", "2,500,000 is three rates, 2, 500 and 000: write 2500000 or 2500k"},
		{"rate", "1,000,10,000", "1,000 is two rates, 1 and 000: write 1000 or 1k\n--rate: 10,000 is two rates, 10 and 000: write 10000 or 10k"},
		{"rate", "1,050", "1,050 is two rates, 1 and 050: write 1050"},
		{"rate", "500,0", "rate 0/s is not between 1/h and 1,000,000,000/s"},
		{"rate", "0,5", "rate 0/s is not between 1/h and 1,000,000,000/s"},
		{"size", "1,024", "1,024 is two sizes, 1 and 024: write 1024"},
		{"connections", "1,000", "1,000 is two values of connections, 1 and 000: write 1000"},
		{"in-flight", "1,000", "1,000 is two values of in-flight, 1 and 000: write 1000"},
		{"rate", "500,1000", ""},
		{"rate", "50,100,200", ""},
		{"rate", "1,100", ""},
		{"rate", "1,500", ""},
		{"rate", "100,200,500", ""},
		{"rate", "1,10,100,1000", ""},
		{"rate", "1..100*10", ""},
		{"connections", "1,256", ""},
		{"size", "100,200", ""},
	} {
		_, err := config.Load("", flags(config.Values{tt.key: {tt.text}}), config.Options{})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s %s: %v", tt.key, tt.text, err)
		case tt.want != "" && (err == nil || err.Error() != "--"+tt.key+": "+tt.want):
			t.Errorf("%s %s: got %v\nwant --%s: %s", tt.key, tt.text, err, tt.key, tt.want)
		}
	}
}

// In a plan file and in the environment it is the same mistake.
func TestNumbersWithCommasElsewhere(t *testing.T) {
	for text, want := range map[string]string{
		`matrix: {rate: "1,000"}`:        `p:1:16: rate "1,000": a number has no commas: write 1000`,
		`matrix: {rate: [500, "1,500"]}`: `p:1:22: rate "1,500": a number has no commas: write 1500`,
		`matrix: {rate: [1,000, 3000]}`:  "p:1:17: 1,000 is two rates, 1 and 000: write 1000 or 1k",
		`cells: [{rate: "20,000"}]`:      `p:1:16: rate "20,000": a number has no commas: write 20000`,
		`matrix: {size: "1,024"}`:        `p:1:16: size "1,024": a number has no commas: write 1024`,
		`matrix: {connections: "1,000"}`: `p:1:23: connections "1,000": a number has no commas: write 1000`,
	} {
		_, err := config.Parse("p", []byte(text), config.Overrides{}, testOptions())
		if err == nil || !strings.HasPrefix(err.Error(), want+"\n") || strings.Count(err.Error(), "p:1:") != 1 {
			t.Errorf("%s: got %v\nwant %s", text, err, want)
		}
	}
	env, err := config.FromEnv([]string{"BROKERBENCH_RATE=10,000"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = config.Load("", config.Overrides{Env: env}, config.Options{})
	if err == nil || err.Error() != "BROKERBENCH_RATE: 10,000 is two rates, 10 and 000: write 10000 or 10k" {
		t.Errorf("got %v", err)
	}
}

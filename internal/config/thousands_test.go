package config_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
)

// A number with a comma is a list with a value that has a leading zero. A list that may be
// one stays one.
func TestNumbersWithCommas(t *testing.T) {
	refusedFlags(t, "commas-rate.golden", "rate", "1,000", "10,000", "1,000,3000", "3000,1,000", "1,000,000", "2,500,000", "1,000,10,000", "1,050", "500,0", "0,5")
	refusedFlags(t, "commas-size.golden", "size", "1,024")
	refusedFlags(t, "commas-connections.golden", "connections", "1,000")
	refusedFlags(t, "commas-in-flight.golden", "in-flight", "1,000")
	for key, texts := range map[string][]string{
		"rate":        {"500,1000", "50,100,200", "1,100", "1,500", "100,200,500", "1,10,100,1000", "1..100*10"},
		"connections": {"1,256"},
		"size":        {"100,200"},
	} {
		for _, text := range texts {
			if _, err := config.Load("", flags(config.Values{key: {text}}), config.Options{}); err != nil {
				t.Errorf("%s %s: %v", key, text, err)
			}
		}
	}
}

// In a plan file and in the environment it is the same mistake.
func TestNumbersWithCommasElsewhere(t *testing.T) {
	refused(t, "commas-file.golden", []string{
		`matrix: {rate: "1,000"}`, `matrix: {rate: [500, "1,500"]}`, `matrix: {rate: [1,000, 3000]}`,
		`cells: [{rate: "20,000"}]`, `matrix: {size: "1,024"}`, `matrix: {connections: "1,000"}`,
	}, func(text string) error {
		_, err := config.Parse("p", []byte(text), config.Overrides{}, testOptions())
		return err
	})
	refused(t, "commas-env.golden", []string{"BROKERBENCH_RATE=10,000"}, func(text string) error {
		env, err := config.FromEnv([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		_, err = config.Load("", config.Overrides{Env: env}, config.Options{})
		return err
	})
}

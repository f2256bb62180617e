package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan/config"
)

func TestSweeps(t *testing.T) {
	for _, tt := range []struct {
		rates []string
		want  string
	}{
		{[]string{"1k..16k*2"}, "[1000 2000 4000 8000 16000]"},
		{[]string{"1k..15k*2"}, "[1000 2000 4000 8000]"},
		{[]string{"100..500+100"}, "[100 200 300 400 500]"},
		{[]string{"10..40*1.5"}, "[10 15 23 35]"},
		{[]string{"7..7*2"}, "[7]"},
		{[]string{"5", "1..4*2"}, "[5 1 2 4]"},
		{[]string{"1..4*1.01"}, "[1 2 3 4]"}, // every step is one at least
	} {
		p := load(t, "", config.Values{"rate": tt.rates})
		var got []int
		for _, s := range p.Shapes {
			got = append(got, s.Rate)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%v: %v, want %s", tt.rates, got, tt.want)
		}
	}
	p := load(t, "matrix: {size: 256B..1MiB*4, connections: [1..64*4, 100]}", nil)
	if len(p.Shapes) != 7*5 || p.Shapes[len(p.Shapes)-1].Size != 1<<20 {
		t.Errorf("%d shapes, the last %v; want 35 up to 1 MiB", len(p.Shapes), p.Shapes[len(p.Shapes)-1])
	}
}

func TestSweepMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"1k..64k":       "--rate: rate \"1k..64k\": want from..to*factor or from..to+step, such as 1k..64k*2",
		"64k..1k*2":     "it begins above its end",
		"1..1000000+1":  "has more than 1000 values",
		"1..8*1":        "factor \"1\": want a number from 1.01",
		"1..8*x":        "factor \"x\"",
		"1..fast*2":     "rate \"fast\": want messages per second",
		"1..8+0":        "a range goes over numbers above 0",
		"1..4*2,2..4*2": "rate 2 is there twice",
	} {
		_, err := config.Load("", flags(config.Values{"targets": {"nats://h"}, "rate": {text}}), testOptions())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

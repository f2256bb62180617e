package config_test

import (
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
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
		{[]string{"0.1..1k*10"}, "[0.1 1 10 100 1000]"},
		{[]string{"0.1/s..0.5/s+0.1/s"}, "[0.1 0.2 0.3 0.4 0.5]"}, // does not drift
		{[]string{"6/m..1/s*2"}, "[0.1 0.2 0.4 0.8]"},
		{[]string{"1/h..8/h*2"}, "[1/h 2/h 4/h 8/h]"},
		{[]string{"1/h..1.03/h*1.01"}, "[1/h 1.01/h 1.02/h 1.03/h]"},
		{[]string{"1..2+0.5"}, "[1 1.5 2]"},
	} {
		p := load(t, "", config.Values{"rate": tt.rates})
		var got []string
		for _, s := range p.Shapes {
			got = append(got, s.Rate.Column())
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

package config_test

import (
	"fmt"
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

package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

func flags(v config.Values) config.Overrides { return config.Overrides{Flags: v} }

// load loads a plan from text and flags.
func load(t *testing.T, text string, v config.Values) plan.Plan {
	t.Helper()
	return loadOver(t, text, flags(v))
}

func loadOver(t *testing.T, text string, o config.Overrides) plan.Plan {
	t.Helper()
	p, err := config.Parse("stdin", []byte(text), o, testOptions())
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	return p
}

// shapes returns the plan's shapes as text.
func shapes(p plan.Plan) string {
	var texts []string
	for _, s := range p.Shapes {
		texts = append(texts, s.ID())
	}
	return strings.Join(texts, " ")
}

func TestDefaults(t *testing.T) {
	want := plan.Plan{
		Name:    "run",
		Targets: []plan.Target{{Name: "nats", URL: "nats://h"}},
		Shapes:  []plan.Shape{{Rate: 3000, Size: 1024, Connections: 1, Arrivals: schedule.Constant}},
		Settings: plan.Settings{
			Duration: 30 * time.Second, Warmup: 5 * time.Second, Timeout: 30 * time.Second,
			Seed: 1, Senders: 1, Floor: true, Audit: true, Percentiles: plan.DefaultPercentiles(),
		},
		Repeat: 1,
	}
	for _, text := range []string{"", "# nothing\n", "---\n", "{}", "matrix: {}", "cells: [{}]", "matrix: {size: 1KiB}"} {
		p := load(t, text, config.Values{"targets": {"nats://h"}})
		if got, want := fmt.Sprintf("%+v", p), fmt.Sprintf("%+v", want); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", text, got, want)
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestShapes(t *testing.T) {
	tests := []struct {
		name, file string
		over       config.Values
		want       string
	}{
		{"product, the rate slowest", "matrix: {size: [16, 32], rate: [1, 2]}", nil, "1-16B-c1-fopen 1-32B-c1-fopen 2-16B-c1-fopen 2-32B-c1-fopen"},
		{"matrix, then cells", "cells: [{rate: 7}]\nmatrix: {rate: 8, in-flight: 2, connections: 3}", nil, "8-1024B-c3-f2 7-1024B-c1-fopen"},
		{"cells alone", "cells: [{rate: 7, arrivals: poisson}]", nil, "7-1024B-c1-fopen-poisson"},
		{"arrivals of every kind", "matrix: {rate: 7, arrivals: [constant, poisson, burst:10]}", nil, "7-1024B-c1-fopen 7-1024B-c1-fopen-poisson 7-1024B-c1-fopen-burst10"},
		{
			"arrivals of every kind by a flag", "matrix: {rate: 7, arrivals: burst:3}",
			config.Values{"arrivals": {"constant,poisson", "burst:10"}},
			"7-1024B-c1-fopen 7-1024B-c1-fopen-poisson 7-1024B-c1-fopen-burst10",
		},
		{"an axis replaced", "matrix: {rate: [1, 2], size: [16, 32]}", config.Values{"rate": {"9"}}, "9-16B-c1-fopen 9-32B-c1-fopen"},
		{"an axis replaced that the file has not", "matrix: {rate: 1}", config.Values{"in-flight": {"1", "open"}}, "1-1024B-c1-f1 1-1024B-c1-fopen"},
		{
			"each cell replaced", "cells: [{rate: 1, size: 16}, {rate: 2, size: 32}]",
			config.Values{"rate": {"8, 9"}},
			"8-16B-c1-fopen 9-16B-c1-fopen 8-32B-c1-fopen 9-32B-c1-fopen",
		},
		{"cells that become the same", "cells: [{rate: 1}, {rate: 2}]\nmatrix: {rate: 3}", config.Values{"rate": {"8"}}, "8-1024B-c1-fopen"},
		{"no file", "", config.Values{
			"rate": {"1,2k"}, "size": {"1KB"}, "connections": {"2"}, "in-flight": {"3"}, "arrivals": {"poisson"},
		}, "1-1000B-c2-f3-poisson 2000-1000B-c2-f3-poisson"},
		{"an alias", "matrix: {rate: &r [1, 2], connections: *r}", nil, "1-1024B-c1-fopen 1-1024B-c2-fopen 2-1024B-c1-fopen 2-1024B-c2-fopen"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shapes(load(t, tt.file, tt.over)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestPrecedence(t *testing.T) {
	file := "name: file\nduration: 1s\nwarmup: 1s\ntimeout: 1s\nrepeat: 2\nseed: 2\nsenders: 2\nspin: 2us\nfloor: off\naudit: off\npercentiles: 50, 99.99\nmatrix: {rate: 1, size: 16}\ntargets: [nats://file]"
	env, err := config.FromEnv([]string{
		"BROKERBENCH_NAME=env", "BROKERBENCH_DURATION=3s", "BROKERBENCH_RATE=3", "BROKERBENCH_SEED=", "BROKERBENCH_OUT=env",
		"BROKERBENCH_TARGETS=kafka://a,b nats://c",
	})
	if err != nil {
		t.Fatal(err)
	}
	o := config.Overrides{Flags: config.Values{"name": {"flag"}, "rate": {"4"}, "targets": {"redis://flag"}}, Env: env}
	if out := o.Text("out"); out != "env" {
		t.Errorf("out %q, want env", out)
	}
	p := loadOver(t, file, o)
	want := plan.Settings{Duration: 3 * time.Second, Warmup: time.Second, Timeout: time.Second, Seed: 2, Senders: 2, Spin: plan.SpinFor(2 * time.Microsecond), Percentiles: []float64{50, 99.99}}
	if got, want := fmt.Sprintf("%+v", p.Settings), fmt.Sprintf("%+v", want); got != want {
		t.Errorf("settings %s, want %s", got, want)
	}
	if p.Name != "flag" || p.Repeat != 2 || shapes(p) != "4-16B-c1-fopen" || p.Targets[0].URL != "redis://flag" || len(p.Targets) != 1 {
		t.Errorf("got %+v", p)
	}
	if p := loadOver(t, file, config.Overrides{Env: env}); p.Name != "env" || shapes(p) != "3-16B-c1-fopen" || len(p.Targets) != 2 {
		t.Errorf("environment over file: got %+v", p)
	}
}

func TestNameIsTheFiles(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]string{"soak.yaml": "soak", "my plan.yml": "run", ".yaml": "run"} {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte("targets: [nats://h]"), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := config.Load(path, config.Overrides{}, config.Options{}); err != nil || p.Name != want {
			t.Errorf("%s: name %q, %v; want %q", file, p.Name, err, want)
		}
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"), config.Overrides{}, config.Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
	large := config.Options{Stdin: strings.NewReader(strings.Repeat("#", 1<<20+1))}
	if _, err := config.Load("-", config.Overrides{}, large); err == nil || !strings.Contains(err.Error(), "stdin: above 1048576 bytes") {
		t.Errorf("got %v, want that it is too large", err)
	}
}

func ExampleLoad() {
	file := `
targets: [nats://127.0.0.1:4222]
matrix:
  rate: [3000, 20k]
  sise: 256B
`
	_, err := config.Load("-", flags(config.Values{"duration": {"1m"}}), config.Options{Stdin: strings.NewReader(file)})
	fmt.Println(err)

	file = strings.Replace(file, "sise", "size", 1)
	p, _ := config.Load("-", flags(config.Values{"duration": {"1m"}}), config.Options{Stdin: strings.NewReader(file)})
	for _, cell := range p.Cells() {
		fmt.Println(cell.ID(), cell.Settings.Duration)
	}
	// Output:
	// stdin:5:3: unknown key "sise" (did you mean "size"?)
	//       5 |   sise: 256B
	//         |   ^
	// nats-3000-256B-c1-fopen-r1 1m0s
	// nats-20000-256B-c1-fopen-r1 1m0s
}

// Objectives of the file, of a target, of the matrix and of a cell; flags replace
// those of the file alone.
func TestSLOs(t *testing.T) {
	file := "slo: [p99<5ms, loss<1%]\nmatrix: {rate: [1, 2], slo: p50<1ms}\ncells: [{rate: 3, slo: [max<1s]}]\n" +
		"targets: [nats://a, {name: b, url: nats://b, slo: p50<1ms}]"
	for _, tt := range []struct {
		over config.Values
		want string
	}{
		{nil, "nats 1 [p99<5ms loss<1% p50<1ms], b 1 [p99<5ms loss<1% p50<1ms], nats 2 [p99<5ms loss<1% p50<1ms], b 2 [p99<5ms loss<1% p50<1ms], nats 3 [p99<5ms loss<1% max<1s], b 3 [p99<5ms loss<1% p50<1ms max<1s]"},
		{config.Values{"slo": {"rate>99%"}, "targets": {"b"}}, "b 1 [rate>99% p50<1ms], b 2 [rate>99% p50<1ms], b 3 [rate>99% p50<1ms max<1s]"},
	} {
		var got []string
		for _, c := range load(t, file, tt.over).Cells() {
			got = append(got, fmt.Sprint(c.Target.Name, " ", c.Shape.Rate.Column(), " ", c.SLOs))
		}
		if list := strings.Join(got, ", "); list != tt.want {
			t.Errorf("got  %s\nwant %s", list, tt.want)
		}
	}
}

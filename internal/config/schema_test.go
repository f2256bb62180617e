package config_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
)

type object = map[string]any

// schema returns the schema as data and ready to validate.
func schema(t *testing.T) (object, *jsonschema.Schema) {
	t.Helper()
	text, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	data, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("plan.json", data); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return data.(object), compiled
}

// validate returns what the schema refuses in a plan file.
func validate(s *jsonschema.Schema, text string) error {
	var data any
	if err := yaml.Unmarshal([]byte(text), &data); err != nil {
		return err
	}
	return s.Validate(data)
}

// The keys that reading knows are in its message about a key that cannot be one.
func TestSchemaAndCodeKnowTheSameKeys(t *testing.T) {
	root, _ := schema(t)
	top := root["properties"].(object)
	target := top["targets"].(object)["items"].(object)["anyOf"].([]any)[1].(object)
	levels := map[string]object{
		"? []\n:":              root,
		"matrix: {? [] : }":    top["matrix"].(object),
		"cells: [{? [] : }]":   top["cells"].(object)["items"].(object),
		"targets: [{? [] : }]": target,
		"faults: [{? [] : }]":  top["faults"].(object)["items"].(object),
		"targets: [{url: nats://h, nodes: [{? [] : }]}]": properties(target)["nodes"]["items"].(object),
	}
	for text, level := range levels {
		if level["additionalProperties"] != false {
			t.Errorf("%q: the schema takes any key", text)
		}
		want := fmt.Sprint(slices.Sorted(maps.Keys(level["properties"].(object))))
		if _, err := config.Parse("p", []byte(text), config.Overrides{}, config.Options{}); err == nil || !strings.Contains(err.Error(), "want one of "+want) {
			t.Errorf("%q: the schema knows %s; reading says %v", text, want, err)
		}
	}
}

func TestSchemaDescribesEveryKey(t *testing.T) {
	root, _ := schema(t)
	var walk func(path string, schema object)
	walk = func(path string, schema object) {
		for name, sub := range properties(schema) {
			if sub["description"] == nil {
				t.Errorf("%s.%s has no description", path, name)
			}
			walk(path+"."+name, sub)
		}
		if items, ok := schema["items"].(object); ok {
			walk(path+"[]", items)
		}
	}
	walk("", root)
}

func properties(schema object) map[string]object {
	found := make(map[string]object)
	if all, ok := schema["properties"].(object); ok {
		for name, sub := range all {
			found[name] = sub.(object)
		}
	}
	return found
}

// Writing the default that the schema names changes nothing; its examples are
// taken.
func TestDefaultsAndExamplesOfTheSchema(t *testing.T) {
	root, compiled := schema(t)
	without := fmt.Sprintf("%+v", load(t, "", nil))
	formats := map[string]map[string]object{
		"%s: %v":             properties(root),
		"matrix: {%s: %v}":   properties(properties(root)["matrix"]),
		"matrix: {%s: [%v]}": properties(properties(root)["matrix"]),
		"cells: [{%s: %v}]":  properties(properties(root)["cells"]["items"].(object)),
	}
	for format, keys := range formats {
		for name, key := range keys {
			if value, ok := key["default"]; ok {
				text := fmt.Sprintf(format, name, value)
				if got := fmt.Sprintf("%+v", load(t, text, nil)); got != without {
					t.Errorf("%s gives\n%s\nwithout it\n%s", text, got, without)
				}
			}
			examples, _ := key["examples"].([]any)
			for _, example := range examples {
				text := fmt.Sprintf(format, name, example)
				load(t, text, nil)
				if err := validate(compiled, text); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	}
}

func TestSchemaAndCodeAgree(t *testing.T) {
	_, compiled := schema(t)
	for _, text := range goodFiles {
		if _, err := config.Parse("p", []byte(text), config.Overrides{}, testOptions()); err != nil {
			t.Errorf("reading refuses %q: %v", text, err)
		}
		if err := validate(compiled, text); err != nil {
			t.Errorf("the schema refuses %q: %v", text, err)
		}
	}
	for _, text := range badFiles {
		if _, err := config.Parse("p", []byte(text), config.Overrides{}, testOptions()); err == nil {
			t.Errorf("reading takes %q", text)
		}
		if err := validate(compiled, text); err == nil {
			t.Errorf("the schema takes %q", text)
		}
	}
}

var goodFiles = []string{
	"{}", "name: a", "name: 2026", "name: a.b-c_d", "duration: 1m30.5s", "duration: +1h", "duration: .5s", "warmup: 0", "warmup: 0s", "timeout: 1ns",
	"percentiles: 99.9", "percentiles: 50, 99", "floor: off", "floor: \"on\"", "spin: 0", "spin: auto", "spin: 50µs", "spin: 50us", "repeat: 10000", "seed: 0", "senders: 1024", "targets: [nats://h]",
	"targets: ['loopback:']", "targets: [{name: a, url: nats://h}]", "targets: [{url: '${X:-nats://h}', options: {a: 1, b: c, d: true, e: 1.5}}]",
	"matrix: {rate: 1}", "matrix: {rate: [1, 20k, 1.5k/s, '3']}", "matrix: {rate: [0.1, 0.2/s, 7/m, 1.5k/h, 1.5, 0.3/s..3/s*2, 11/m..19/m+2/m]}", "matrix: {size: [16, 17B, 1KiB, 1 kb, 1.5MiB]}", "matrix: {connections: [1, 2]}",
	"matrix: {size: {256B: 90%, 64KiB: 10%}}", "matrix: {size: [1KiB, {16B: 99.5%, 1.5MiB: 0.5 %}, '256B:90%, 64KiB:10%']}", "cells: [{size: {256B: 90%, 64KiB: 10%}}]",
	"matrix: {keys: [none, 10, 10000 zipf(1.1) null=10%, {count: 20000, skew: zipf(1.1), 'null': 10%}]}", "matrix: {payload: [random, compressible(0.5)], headers: [none, 8x32, {count: 1, bytes: 16}]}", "cells: [{payload: compressible(.25), headers: {bytes: 32, count: 8}}]",
	"matrix: {topology: {topics: 1, groups: [1, 3], members: 1..4*2}}", "matrix: {topology: own}", "cells: [{topology: {groups: 2}}, {rate: 7, topology: own}]",
	"cold: off", "cold: \"on\"", "matrix: {backlog: [none, 100k, 1M, 1000, 2GiB, 1.5 MiB, 64KiB]}", "cells: [{backlog: 1}, {rate: 7, backlog: none}]", "matrix: {until-store: [none, 64MiB, 1.5 GiB]}",
	"matrix: {in-flight: [1, open], arrivals: poisson}", "matrix: {arrivals: [constant, poisson, burst:10, burst:2, burst:1000000]}",
	"cells: [{arrivals: burst:99999}]", "slo: p99.9<5ms", "slo: [p(99) < 5ms, loss<1%]", "slo: p99 < 5 ms", "slo: [max  ≤ 1 s]", "slo: lost-acked==0", "slo: user(50).p99<100ms", "slo: [user(8 in sequence).sum.max<1s, user(200 in parallel).p50 < 1 s]", "user: 8", "user: [50 in sequence, 200 in parallel]", "slo: [outage<10s, recovery <= 30 s, ack.p99<5ms]", "matrix: {slo: rate>99%}", "cells: [{slo: [max<1s]}]", "targets: [{url: nats://h, slo: p50<1ms}]", "matrix: {rate: 1k..64k*2}", "matrix: {rate: [1, 2k..4k+500], size: '256B..1MiB*4'}", "matrix: {size: 1.5KiB..1.5MiB*1.5}",
	"faults: [{at: 10s, do: kill, node: leader, restart: 5s}]", "faults: [{at: 0, do: slow, node: 2, delay: 1ms, loss: 0.01, throttle: 1000}, {at: 1s, run: [a, 1]}, {at: 1s, pause: consumers, for: 1s}, {at: 1s, do: power-off, node: 1, fresh: on}]",
	"matrix: {connections: 1..256*4, in-flight: [1..8*2, open]}", "cells: [{}]", "cells: [{rate: 1, size: 16, connections: 1, in-flight: open, arrivals: constant}]",
	"targets: [{url: nats://h, nodes: [{command: nats-server -c n1.conf, address: 'h:1'}, {name: two, command: [nats-server, -c, n2.conf], ready: [true], ready-in: 9s, dir: /, data: /d, log: l}]}]",
	"targets: [{url: nats://h, nodes: [{pid: 4711}, {unit: u, on: ssh://vm4}]}]", "targets: [{url: nats://h, nodes: [{container: c}, {unit: u}, {pod: n/p}]}]",
}

var badFiles = []string{
	"[]", "a", "names: a", "name: a b", "name: /a", "name: []", "name:", "duration: 30", "duration: ''", "duration: 1d", "duration: 1 s", "duration: 0", "timeout: 0",
	"percentiles: 98", "percentiles: 50 99", "percentiles: []", "floor: maybe", "floor: true", "spin: 1", "spin: Auto", "spin: -1s", "repeat: 0", "repeat: 10001", "repeat: 1.5", "seed: -1", "senders: 0", "senders: []",
	"targets: nats://h", "targets: []", "targets: [h h]", "targets: [1]", "targets: [{}]", "targets: [{name: a}]", "targets: [{url: h h}]",
	"targets: [{url: nats://h, option: {}}]", "targets: [{url: nats://h, options: {a: [1]}}]", "targets: [{url: nats://h, options: {a: }}]",
	"matrix: []", "matrix: {rate: []}", "matrix: {rate: 0}", "matrix: {rate: [1, 1]}", "matrix: {rate: 1m}", "matrix: {rate: -1}", "matrix: {rate: 0.0002}", "matrix: {rate: 1/x}", "matrix: {rate: -1/s}", "matrix: {rate: .nan}", "matrix: {rate: 1e400/s}",
	"matrix: {size: 0}", "matrix: {size: 1K}", "matrix: {size: 1TiB}", "matrix: {size: {}}", "matrix: {size: {256B: 100%}}", "matrix: {size: {256B: 90, 64KiB: 10}}", "matrix: {size: '256B:100%'}", "cells: [{size: [{256B: 90%, 64KiB: 10%}]}]", "matrix: {connections: 0}", "matrix: {connections: many}",
	"matrix: {payload: zeros}", "matrix: {keys: {skew: zipf(1.1)}}", "matrix: {keys: {count: 10, 'null': 10}}", "matrix: {keys: 10 zipf}", "matrix: {keys: 0}", "matrix: {payload: compressible(1)}", "matrix: {payload: {file: x}}", "matrix: {headers: 8}", "matrix: {headers: {count: 8}}", "matrix: {headers: {count: 0, bytes: 1}}", "matrix: {headers: 8x0}",
	"matrix: {topics: 1}", "matrix: {topology: 1}", "matrix: {topology: [own]}", "matrix: {topology: {rate: 1}}", "matrix: {topology: {groups: 0}}", "cells: [{topology: {groups: [1, 2]}}]", "cells: [{members: 2}]",
	"matrix: {topology: {topics: 1, topics: 2}}", "matrix: {topology: {members: -1}}", "matrix: {topology: {groups: 1.5}}", "matrix: {topology: {group: 1}}", "cells: [{topology: }]", "topology: own",
	"cold: 1", "cold: true", "cold: [on]", "matrix: {cold: on}", "matrix: {backlog: 0}", "matrix: {backlog: -1}", "matrix: {backlog: 1.5}", "matrix: {backlog: 1TB}", "matrix: {backlog: many}", "matrix: {backlog: {messages: 1}}", "cells: [{backlog: [1]}]", "backlog: 1M", "matrix: {until-store: 4}", "matrix: {until-store: 1M}", "until-store: 1GiB",
	"matrix: {in-flight: 0}", "matrix: {in-flight: closed}", "matrix: {arrivals: never}", "matrix: {arrivals: burst}", "matrix: {arrivals: 'burst:'}", "matrix: {arrivals: burst:x}",
	"matrix: {arrivals: burst:1}", "matrix: {arrivals: burst:0}", "matrix: {arrivals: burst:1000001}", "matrix: {arrivals: burst:010}", "matrix: {arrivals: {burst: 10}}",
	"matrix: {arrivals: [burst:10, burst:10]}", "matrix: {arrival: poisson}",
	"faults: []", "faults: {}", "faults: [{do: kill, node: leader}]", "faults: [{at: 1s, do: burn, node: leader}]", "faults: [{at: 1s, run: []}]", "faults: [{at: 1s, run: ''}]", "faults: [{at: 1s, pause: leader, for: 1s}]", "faults: [{at: 1, do: kill, node: a}]",
	"faults: [{at: 1s, do: slow, node: a, loss: 1}]", "faults: [{at: 1s, do: slow, node: a, throttle: 0}]", "faults: [{at: 1s, do: kill, knode: a}]",
	"matrix: {rate: 1k..64k}", "matrix: {rate: ..64k*2}", "matrix: {arrivals: 1..2*2}", "cells: [{rate: 1..4*2}]", "slo: []", "slo: p99", "user: []", "user: x in sequence", "user: 8 in turn", "slo: user(x).p99", "slo: {p99: 5ms}", "matrix: {slo: fast}", "cells: {}", "cells: []", "cells: [1]", "cells: [{rate: [1]}]", "cells: [{rat: 1}]",
	"targets: [{url: nats://h, nodes: []}]", "targets: [{url: nats://h, nodes: {pid: 2}}]", "targets: [{url: nats://h, nodes: [a]}]", "targets: [{url: nats://h, nodes: [{}]}]", "targets: [{url: nats://h, nodes: [{name: a}]}]",
	"targets: [{url: nats://h, nodes: [{pid: 1}]}]", "targets: [{url: nats://h, nodes: [{pid: x}]}]", "targets: [{url: nats://h, nodes: [{pid: 4711, unit: u}]}]", "targets: [{url: nats://h, nodes: [{command: []}]}]", "targets: [{url: nats://h, nodes: [{command: ''}]}]",
	"targets: [{url: nats://h, nodes: [{comand: x}]}]", "targets: [{url: nats://h, nodes: [{pid: 4711, ready-in: 5}]}]", "targets: [{url: nats://h, nodes: [{unit: u, on: []}]}]",
}

func TestTemplateIsValid(t *testing.T) {
	if p := checkPlan(t, config.Template()); len(p.Targets) != 2 || len(p.Shapes) != 6 {
		t.Errorf("got %d targets and %d shapes, want 2 and 6", len(p.Targets), len(p.Shapes))
	}
}

// checkPlan returns the plan of a file that the schema and Validate take.
func checkPlan(t *testing.T, text string) plan.Plan {
	t.Helper()
	_, compiled := schema(t)
	p := load(t, text, nil)
	if err := errors.Join(validate(compiled, text), p.Validate()); err != nil {
		t.Errorf("%v\nin\n%s", err, text)
	}
	return p
}

// What the template has commented out is the default of each setting.
func TestTemplateShowsTheDefaults(t *testing.T) {
	root, _ := schema(t)
	for name, key := range properties(root) {
		value, ok := key["default"]
		if line := fmt.Sprintf("# %s: %v ", name, value); ok && !strings.Contains(config.Template(), line) {
			t.Errorf("the template has no %q", line)
		}
	}
}

func TestPlansOfTheRepository(t *testing.T) {
	files, err := filepath.Glob("../../deploy/plans/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range append(files, "../../deploy/kubernetes/run/plan.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, string(text))
	}
}

func TestQuickAndClassicPlans(t *testing.T) {
	const urls = "nats=nats://h redis=redis://h rabbitmq=rabbitmq://h kafka=kafka://h"
	for name, want := range map[string]struct{ shapes, took string }{
		"classic": {"3000-256B-c1-f1 3000-1024B-c1-f1 2000-5120B-c1-f1 20000-1024B-c25-f1 100-1048576B-c1-f1", "13m19s"},
		"quick":   {"3000-256B-c1-fopen 3000-1024B-c1-fopen 2000-5120B-c1-fopen 20000-1024B-c25-fopen 100-1048576B-c1-fopen", "1m35s"},
	} {
		p, err := config.Load("../../deploy/plans/"+name+".yaml", config.Overrides{}, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name || shapes(p) != want.shapes || p.Took().String() != want.took || targets(p) != urls {
			t.Errorf("%s: got %s, %s, %v, %s", name, p.Name, shapes(p), p.Took(), targets(p))
		}
	}
}

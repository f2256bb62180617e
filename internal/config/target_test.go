package config_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
)

func targets(p plan.Plan) string {
	var texts []string
	for _, t := range p.Targets {
		texts = append(texts, t.Name+"="+t.URL)
	}
	return strings.Join(texts, " ")
}

func TestTargets(t *testing.T) {
	tests := []struct {
		name, file string
		given      []string
		want       string
	}{
		{"short and long", "targets:\n- nats://h\n- {name: r, url: redis://h}\n- url: kafka://a,b", nil, "nats=nats://h r=redis://h kafka=kafka://a,b"},
		{
			"names made unique", "targets: [nats://a, nats://b, {name: nats-2, url: nats://c}, NATS://d]", nil,
			"nats=nats://a nats-3=nats://b nats-2=nats://c nats-4=NATS://d",
		},
		{"a scheme with a plus", "targets: ['nats+tls://a']", nil, "nats-tls=nats+tls://a"},
		{
			"options", "targets: [{url: 'redis://h/0', options: {pool-size: 10, nodelay: true, x: 1.50, y: 'a&b ü', z: ''}}]", nil,
			"redis=redis://h/0?pool-size=10&nodelay=true&x=1.50&y=a%26b+%C3%BC&z=",
		},
		{"options and a query", "targets: [{url: 'x://h?a=1', options: {b: 2}}]", nil, "x=x://h?a=1&b=2"},
		{"options and an empty query", "targets: [{url: 'x:?', options: {b: 2}}, {url: 'y:', options: {b: 2}}, {url: 'z:', options: {}}]", nil, "x=x:?b=2 y=y:?b=2 z=z:"},
		{"durability", "durability: process\ntargets: [nats://a, 'redis://b?x=1', 'kafka://c?durability=none']", nil, "nats=nats://a?durability=process redis=redis://b?x=1&durability=process kafka=kafka://c?durability=none"},
		{"durability of given ones", "durability: process", []string{"nats://a"}, "nats=nats://a?durability=process"},
		{"given instead", "targets: [nats://a]", []string{"redis://b", "redis://c"}, "redis=redis://b redis-2=redis://c"},
		{"named", "targets: [nats://a, redis://b, kafka://c]", []string{"kafka", "nats"}, "kafka=kafka://c nats=nats://a"},
		{"named beside given", "targets: [nats://a]", []string{"nats://b", "nats"}, "nats-2=nats://b nats=nats://a"},
		{"none", "", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := targets(load(t, tt.file, config.Values{"targets": tt.given})); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A target is never checked without the durability that its plan asks for: options that need
// those which the level sets would be refused. The key may stand behind the targets.
func TestTargetsAreCheckedWithTheirDurability(t *testing.T) {
	for _, c := range []struct {
		file  string
		flags config.Values
		want  string
	}{
		{"targets: [a://h]\ndurability: process", nil, "a://h?durability=process"},
		{"targets: [a://h]\ndurability: process", config.Values{"durability": {"node"}}, "a://h?durability=node"},
		{"", config.Values{"targets": {"a://h"}, "durability": {"node"}}, "a://h?durability=node"},
		{"targets: [a://h]\ndurability: disk", nil, "a://h"},
	} {
		var parsed []string
		opts := config.Options{Stdin: strings.NewReader(c.file), ParseTarget: func(url string) (string, error) {
			parsed = append(parsed, url)
			return "a", nil
		}}
		_, _ = config.Load("-", config.Overrides{Flags: c.flags}, opts)
		if got := strings.Join(parsed, " "); got != c.want {
			t.Errorf("%q with %v: %s is checked, want %s", c.file, c.flags, got, c.want)
		}
	}
}

// What stands for a URL does so in files and on the command line. A name of the file's goes
// before.
func TestTargetsThatStandForAURL(t *testing.T) {
	opts := config.Options{Usual: func(text string) string {
		if name, query, _ := strings.Cut(text, "?"); name == "nats" {
			return strings.TrimSuffix("nats://usual?"+query, "?")
		}
		return text
	}}
	for _, c := range []struct{ file, given, want string }{
		{"targets: [nats, {url: nats, options: {a: 1}}]", "", "nats=nats://usual nats-2=nats://usual?a=1"},
		{"", "nats x=nats?b=2", "nats=nats://usual x=nats://usual?b=2"},
		{"targets: ['redis://h']", "nats redis", "nats=nats://usual redis=redis://h"},
		{"targets: [{name: nats, url: 'nats://own'}]", "nats", "nats=nats://own"},
		{"durability: process", "nats", "nats=nats://usual?durability=process"},
	} {
		p, err := config.Parse("p", []byte(c.file), flags(config.Values{"targets": strings.Fields(c.given)}), opts)
		if err != nil || targets(p) != c.want {
			t.Errorf("%s, %s: got %s, %v; want %s", c.file, c.given, targets(p), err, c.want)
		}
	}
}

func TestTargetsAreNamedByTheCaller(t *testing.T) {
	opts := config.Options{
		Stdin: strings.NewReader("targets: [amqp://h, amqps://h, x://h, y://h]"),
		ParseTarget: func(url string) (string, error) {
			return map[string]string{"amqp": "rabbitmq", "amqps": "rabbitmq", "x": "no name"}[strings.Split(url, ":")[0]], nil
		},
	}
	p, err := config.Load("-", config.Overrides{}, opts)
	if want := "rabbitmq=amqp://h rabbitmq-2=amqps://h no-name=x://h target=y://h"; err != nil || targets(p) != want {
		t.Errorf("got %s, %v; want %s", targets(p), err, want)
	}
}

func TestVariables(t *testing.T) {
	variables := map[string]string{"URL": "nats://env", "PW": "p${URL}", "EMPTY": ""}
	opts := config.Options{Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok }}
	tests := map[string]string{
		"${URL}":                     "nats://env",
		"${URL:-nats://default}":     "nats://env",
		"${NONE:-nats://default}":    "nats://default",
		"${EMPTY:-nats://default}":   "nats://default",
		"nats://h${NONE:-}":          "nats://h",
		"nats://u:${PW}@h":           "nats://u:p${URL}@h", // what a variable holds is not expanded again
		"nats://$URL/$$/$(x)/%24%7B": "nats://$URL/$$/$(x)/%24%7B",
		"${URL}:${NONE:-1}?a=${URL}": "nats://env:1?a=nats://env",
	}
	for text, want := range tests {
		opts.Stdin = strings.NewReader("targets: [{name: t, url: '" + text + "'}]")
		p, err := config.Load("-", config.Overrides{}, opts)
		if err != nil || targets(p) != "t="+want {
			t.Errorf("%s: got %s, %v; want %s", text, targets(p), err, want)
		}
	}
	for _, text := range []string{"${NONE}", "${EMPTY}", "${}", "${1}", "${A-b}", "nats://${URL", "${ URL }"} {
		opts.Stdin = strings.NewReader("targets: ['" + text + "']")
		if p, err := config.Load("-", config.Overrides{}, opts); err == nil {
			t.Errorf("%s is taken as %s", text, targets(p))
		}
	}
}

func TestVariablesAreExpandedInURLsOnly(t *testing.T) {
	opts := config.Options{Lookup: func(string) (string, bool) { t.Error("a variable is looked up"); return "x", true }}
	opts.Stdin = strings.NewReader("targets: [{name: t, url: 'x:', options: {a: '${URL}'}}]")
	p, err := config.Load("-", config.Overrides{}, opts)
	if want := "t=x:?a=%24%7BURL%7D"; err != nil || targets(p) != want {
		t.Errorf("got %s, %v; want %s", targets(p), err, want)
	}
	if p, err := config.Load("", flags(config.Values{"targets": {"x:${URL}"}}), opts); err != nil || targets(p) != "x=x:${URL}" {
		t.Errorf("got %s, %v", targets(p), err)
	}
}

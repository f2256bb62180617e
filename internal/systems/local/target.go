// Package local knows the ready-made brokers: targets such as local:kafka,nodes=3, which
// brokerbench starts itself from what deploy/local provides.
package local

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// scheme is that of the URLs.
const scheme = "local:"

// A Target is a ready-made broker.
type Target struct {
	Name       string // of the broker, such as kafka
	Nodes      int    // 1 or 3
	Durability string // what acknowledged messages shall survive; "" if nothing is said
	Data       int    // bytes of the file system that each node has for its data alone; 0: it is in a folder
	Network    string // Namespaces: each node is a machine of its own; "": all are on this one
	Keep       string // KeepRun: it runs until the run ends; "": until another target is measured
	Query      string // options of the broker, as in the query of its URL
}

// Namespaces is a network of machines that are network namespaces.
const Namespaces = "namespaces"

// KeepRun keeps a broker running, and warm, while other targets of the run are measured.
const KeepRun = "run"

// A ready is a broker that deploy/local can provide.
type ready struct {
	server string // as deploy/local calls it
	url    string // which of the URLs that it prints
	scheme string // instead of the URL's own; "": that
	sample string // a URL like the one that it will have
	many   string // and with several nodes; "": the same
	asked  string // option that says where the server is asked for its configuration; "": it is asked at its own address
	at     string // which of the URLs that is
	needs  string // NAME=VALUE, an option that it needs unless the target has another value; "": none
	single bool   // it has no cluster
	three  bool   // it is one
}

// brokers returns the table of them.
func brokers() map[string]ready {
	const rabbit, stream = "amqp://guest:guest@127.0.0.1:5672", "rabbitmq-stream://guest:guest@127.0.0.1:5552"
	const one, guided = "redis://127.0.0.1:6379", "redis+sentinel://127.0.0.1:26379/mymaster"
	return map[string]ready{
		"nats":            {server: "nats", sample: "nats://127.0.0.1:4222", asked: "monitoring", at: "url_monitor"},
		"redis":           {server: "redis", sample: one, many: guided},
		"redis-cluster":   {server: "redis-cluster", sample: "redis+cluster://127.0.0.1:6379", three: true},
		"redis8":          {server: "redis8", sample: one, many: guided},
		"valkey":          {server: "valkey", sample: "valkey" + strings.TrimPrefix(one, "redis"), many: "valkey" + strings.TrimPrefix(guided, "redis")},
		"rabbitmq":        {server: "rabbitmq", sample: rabbit, asked: "management", at: "url_management"},
		"rabbitmq4":       {server: "rabbitmq4", sample: rabbit, asked: "management", at: "url_management"},
		"rabbitmq-stream": {server: "rabbitmq", url: "url_stream", sample: stream, asked: "management", at: "url_management"},
		"amqp1":           {server: "rabbitmq4", scheme: "amqp1", sample: "amqp1" + strings.TrimPrefix(rabbit, "amqp"), asked: "management", at: "url_management"},
		"artemis":         {server: "artemis", sample: "amqp1://127.0.0.1:5672", needs: "address={name}", single: true},
		"qpid":            {server: "qpid", sample: "amqp1://127.0.0.1:5672", needs: "address={name}", single: true},
		"mqtt":            {server: "mosquitto", sample: "mqtt://127.0.0.1:1883", single: true},
		"nsq":             {server: "nsq", sample: "nsq://127.0.0.1:4150", asked: "http", at: "url_http", single: true},
		"postgres":        {server: "postgres", sample: "postgres://postgres@127.0.0.1:5432/postgres", single: true},
		"kafka":           {server: "kafka", sample: "kafka://127.0.0.1:9092"},
	}
}

// Names returns those of the ready-made brokers, in order.
func Names() (names []string) {
	for name := range brokers() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Parse reads local:NAME[,nodes=N][,durability=LEVEL][,data=SIZE][,network=namespaces][,keep=run][?OPTIONS].
func Parse(url string) (t Target, err error) {
	head, query, _ := strings.Cut(strings.TrimPrefix(url, scheme), "?")
	settings := strings.Split(head, ",")
	t = Target{Name: settings[0], Query: query}
	if _, ok := brokers()[t.Name]; !ok {
		return t, fmt.Errorf("target local:%s: unknown broker %q%s; there are %s", head, t.Name, suggest.Hint(t.Name, Names()), strings.Join(Names(), ", "))
	}
	for _, setting := range settings[1:] {
		if err := t.set(setting); err != nil {
			return t, fmt.Errorf("target local:%s: %w", head, err)
		}
	}
	if level := option(query, "durability"); t.Durability == "" && slices.Contains(levels, level) { // the broker refuses others
		t.Durability = level
	}
	if t.Nodes == 0 {
		t.Nodes = 1
		if t.Durability == "node" || brokers()[t.Name].three {
			t.Nodes = 3
		}
	}
	if t.Nodes == 1 && brokers()[t.Name].three {
		return t, fmt.Errorf("target local:%s: nodes=1: this broker is a cluster of 3", head)
	}
	if t.Durability == "node" && t.Nodes == 1 {
		return t, fmt.Errorf("target local:%s: durability=node needs nodes=3: one node keeps nothing that outlives it", head)
	}
	if t.Keep != "" && t.Network != "" {
		return t, fmt.Errorf("target local:%s: keep=%s needs a broker without network=%s", head, t.Keep, t.Network)
	}
	if t.Nodes > 1 && brokers()[t.Name].single {
		return t, fmt.Errorf("target local:%s: nodes=%d: this broker has no cluster", head, t.Nodes)
	}
	return t, nil
}

// String returns the URL, with all of its settings.
func (t Target) String() string {
	text := fmt.Sprintf("%s%s,nodes=%d", scheme, t.Name, t.Nodes)
	if t.Durability != "" {
		text += ",durability=" + t.Durability
	}
	if t.Data > 0 {
		text += ",data=" + words.Size(t.Data)
	}
	if t.Network != "" {
		text += ",network=" + t.Network
	}
	if t.Keep != "" {
		text += ",keep=" + t.Keep
	}
	return join(text, t.Query)
}

// set reads a setting such as nodes=3.
func (t *Target) set(setting string) error {
	name, value, _ := strings.Cut(setting, "=")
	switch name {
	case "nodes":
		n, err := strconv.Atoi(value)
		if err != nil || n != 1 && n != 3 {
			return fmt.Errorf("nodes %q: want 1 or 3", value)
		}
		t.Nodes = n
	case "durability":
		if !slices.Contains(levels, value) {
			return fmt.Errorf("durability %q: want %s", value, strings.Join(levels, ", "))
		}
		t.Durability = value
	case "network":
		if value != Namespaces {
			return fmt.Errorf("network %q: want %s", value, Namespaces)
		}
		t.Network = value
	case "keep":
		if value != KeepRun {
			return fmt.Errorf("keep %q: want %s", value, KeepRun)
		}
		t.Keep = value
	case "data":
		size, err := config.ParseSize(value)
		if err != nil {
			return fmt.Errorf("data %q: %w", value, err)
		}
		if size < leastData {
			return fmt.Errorf("data %q: below the %s that brokers need to begin with", value, words.Size(leastData))
		}
		t.Data = size
	default:
		return fmt.Errorf("unknown setting %q%s; there are nodes, durability, data, network and keep; options of the broker follow a ?",
			name, suggest.Hint(name, []string{"nodes", "durability", "data", "network", "keep"}))
	}
	return nil
}

// leastData is the smallest disk for data, in bytes: RabbitMQ takes nothing more with less than
// 50 MB free.
const leastData = 128 << 20

// levels are those of durability.
var levels = []string{"none", "accepted", "process", "machine", "node"}

// Sample returns a URL like the one that the target will have, to check its options.
func (t Target) Sample() string {
	b := brokers()[t.Name]
	if t.Nodes > 1 && b.many != "" {
		return t.with(b.many)
	}
	return t.with(b.sample)
}

// with adds the options of the target to a URL.
func (t Target) with(url string) string {
	needs := brokers()[t.Name].needs
	if name, _, _ := strings.Cut(needs, "="); option(t.Query, name) == "" {
		url = join(url, needs)
	}
	url = join(url, t.Query)
	if t.Durability != "" && option(t.Query, "durability") == "" {
		url = join(url, "durability="+t.Durability)
	}
	return url
}

// join adds options to a URL.
func join(url, query string) string {
	switch {
	case query == "":
		return url
	case strings.Contains(url, "?"):
		return url + "&" + query
	}
	return url + "?" + query
}

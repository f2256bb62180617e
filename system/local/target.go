// Package local knows the ready-made brokers: targets such as local:kafka,nodes=3, which
// brokerbench starts itself from what deploy/local provides.
package local

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/suggest"
)

// scheme is that of the URLs.
const scheme = "local:"

// A Target is a ready-made broker.
type Target struct {
	Name       string // of the broker, such as kafka
	Nodes      int    // 1 or 3
	Durability string // what acknowledged messages shall survive; "" if nothing is said
	Query      string // options of the broker, as in the query of its URL
}

// A ready is a broker that deploy/local can provide.
type ready struct {
	server string // as deploy/local calls it
	url    string // which of the URLs that it prints
	scheme string // instead of the URL's own; "": that
	sample string // a URL like the one that it will have
	asked  string // option that says where the server is asked for its configuration; "": it is asked at its own address
	at     string // which of the URLs that is
}

// brokers returns the table of them.
func brokers() map[string]ready {
	const rabbit, stream = "amqp://guest:guest@127.0.0.1:5672", "rabbitmq-stream://guest:guest@127.0.0.1:5552"
	return map[string]ready{
		"nats":            {server: "nats", sample: "nats://127.0.0.1:4222", asked: "monitoring", at: "url_monitor"},
		"redis":           {server: "redis", sample: "redis://127.0.0.1:6379"},
		"redis8":          {server: "redis8", sample: "redis://127.0.0.1:6379"},
		"valkey":          {server: "valkey", sample: "redis://127.0.0.1:6379"},
		"rabbitmq":        {server: "rabbitmq", sample: rabbit, asked: "management", at: "url_management"},
		"rabbitmq4":       {server: "rabbitmq4", sample: rabbit, asked: "management", at: "url_management"},
		"rabbitmq-stream": {server: "rabbitmq", url: "url_stream", sample: stream, asked: "management", at: "url_management"},
		"amqp1":           {server: "rabbitmq4", scheme: "amqp1", sample: "amqp1" + strings.TrimPrefix(rabbit, "amqp"), asked: "management", at: "url_management"},
		"mqtt":            {server: "mosquitto", sample: "mqtt://127.0.0.1:1883"},
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

// Is tells whether a target's URL is that of a ready-made broker.
func Is(url string) bool { return strings.HasPrefix(url, scheme) }

// Parse reads local:NAME[,nodes=N][,durability=LEVEL][?OPTIONS].
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
	if t.Durability == "" {
		t.Durability = option(query, "durability")
	}
	if t.Nodes == 0 {
		t.Nodes = 1
		if t.Durability == "node" {
			t.Nodes = 3
		}
	}
	if t.Durability == "node" && t.Nodes == 1 {
		return t, fmt.Errorf("target local:%s: durability=node needs nodes=3: one node keeps nothing that outlives it", head)
	}
	return t, nil
}

// String returns the URL, with all of its settings.
func (t Target) String() string {
	text := fmt.Sprintf("%s%s,nodes=%d", scheme, t.Name, t.Nodes)
	if t.Durability != "" {
		text += ",durability=" + t.Durability
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
	default:
		return fmt.Errorf("unknown setting %q%s; there are nodes and durability; options of the broker follow a ?",
			name, suggest.Hint(name, []string{"nodes", "durability"}))
	}
	return nil
}

// levels are those of durability.
var levels = []string{"none", "accepted", "process", "machine", "node"}

// Sample returns a URL like the one that the target will have, to check its options.
func (t Target) Sample() string { return t.with(brokers()[t.Name].sample) }

// with adds the options of the target to a URL.
func (t Target) with(url string) string {
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

package config

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// nodeKeys are the keys of a node, in the order of the schema. Those without put are read in
// readNode.
func nodeKeys() []Key {
	text, command := object{"type": "string", "minLength": 1}, anyOf(object{"type": "string", "minLength": 1}, object{"type": "array", "minItems": 1, "items": object{"type": []any{"string", "number", "boolean"}}})
	word := func(name, help string, field func(*plan.Node) *string, examples ...any) Key {
		return Key{Name: name, Help: help, examples: examples, schema: text, put: func(d *draft, text string) error {
			*field(&d.node) = text
			return nil
		}}
	}
	return []Key{
		{Name: "name", Help: "its name in faults and results; 1, 2 and so on by default", examples: []any{"n1"}, schema: nameSchema()},
		word("address", "host and port at which clients reach it; by default the hosts of the url, one after the other", func(n *plan.Node) *string { return &n.Address }, "127.0.0.1:4222"),
		{Name: "command", Help: "starts the node in the foreground: a list, or words without quotes", examples: []any{[]any{"nats-server", "-c", "n1.conf"}}, schema: command},
		{
			Name: "pid", Help: "the process that the node is already", examples: []any{4711}, schema: object{"type": "integer", "minimum": 2},
			put: into(func(d *draft) *int { return &d.node.PID }, parsePID),
		},
		word("container", "the container that it is already, as docker calls it", func(n *plan.Node) *string { return &n.Container }, "nats-1"),
		word("unit", "the unit that it is already, as systemctl calls it", func(n *plan.Node) *string { return &n.Unit }, "redis-server.service"),
		word("pod", "the pod that it is already, as kubectl calls it, with its namespace or without", func(n *plan.Node) *string { return &n.Pod }, "kafka-0", "brokers/kafka-0"),
		word("dir", "where the command runs; where brokerbench does by default", func(n *plan.Node) *string { return &n.Dir }, "/srv/nats"),
		word("data", "folder in which it keeps its data", func(n *plan.Node) *string { return &n.Data }, "/srv/nats/n1"),
		word("log", "file that gets the output of the command; a temporary one by default", func(n *plan.Node) *string { return &n.Log }, "n1.log"),
		{Name: "ready", Help: "command that succeeds when the node is ready; it is when it accepts connections by default", examples: []any{[]any{"redis-cli", "-p", "6380", "ping"}}, schema: command},
		{
			Name: "ready-in", Help: "how long it may take to be ready; a minute by default", examples: []any{"90s"}, schema: matching(durationText),
			put: into(func(d *draft) *time.Duration { return &d.node.ReadyIn }, parseDuration),
		},
	}
}

func parsePID(text string) (int, error) {
	pid, err := strconv.Atoi(text)
	if err != nil || pid < 2 {
		return 0, errors.New("want the number of the broker's process")
	}
	return pid, nil
}

// readNodes reads how a target is run.
func (r *reader) readNodes(n node) *plan.System {
	var s plan.System
	names := make(map[string]bool)
	r.list(n, "nodes", func(item node) {
		one := r.readNode(item, len(s.Nodes)+1)
		if names[one.Name] {
			r.add(item.at(), "two nodes are named %s", quote(one.Name))
		}
		names[one.Name], s.Nodes = true, append(s.Nodes, one)
	})
	if len(s.Nodes) == 0 {
		return nil
	}
	return &s
}

// readNode reads the node of that number.
func (r *reader) readNode(n node, number int) plan.Node {
	d := draft{node: plan.Node{Name: strconv.Itoa(number)}}
	before := len(r.found)
	_, ok := r.readKeys(n, "a node", nodeKeys(), func(k Key, v node) bool { return r.check(v.at(), k.set(&d, r.expand(v))) }, map[string]func(key, value node){
		"name":    func(_, v node) { d.node.Name = r.readName(v) },
		"command": func(key, v node) { d.node.Command = r.readCommand(key, v) },
		"ready":   func(key, v node) { d.node.Ready = r.readCommand(key, v) },
	})
	if ok && before == len(r.found) {
		r.check(n.at(), d.node.Validate())
	}
	return d.node
}

// readCommand reads a command: a list, or words.
func (r *reader) readCommand(key, n node) (words []string) {
	if n.kind() == isList {
		r.list(n, key.Value, func(item node) {
			if r.want(item, key.Value, isValue) {
				words = append(words, r.expand(item))
			}
		})
		return words
	}
	if !r.want(n, key.Value, isValue, isList) {
		return nil
	}
	if strings.ContainsAny(n.Value, `"'\`) {
		r.add(n.at(), "%s %s: words with quotes are a list: [sh, -c, \"…\"]", key.Value, quote(n.Value))
		return nil
	}
	before := len(r.found)
	if words = strings.Fields(r.expand(n)); len(words) == 0 && before == len(r.found) {
		r.add(n.at(), "%s is empty", key.Value)
	}
	return words
}

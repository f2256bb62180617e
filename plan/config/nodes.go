package config

import (
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// nodeKeys are the keys of a node with what they are, in the order of the schema.
func nodeKeys() []Key {
	text, command := object{"type": "string", "minLength": 1}, anyOf(object{"type": "string", "minLength": 1}, object{"type": "array", "minItems": 1, "items": object{"type": []any{"string", "number", "boolean"}}})
	return []Key{
		{Name: "name", Help: "what faults and results call it; 1, 2 and so on by default", examples: []any{"n1"}, schema: nameSchema()},
		{Name: "address", Help: "host and port at which clients reach it; by default the hosts of the url, one after the other", examples: []any{"127.0.0.1:4222"}, schema: text},
		{Name: "command", Help: "starts the node in the foreground: a list, or words without quotes", examples: []any{[]any{"nats-server", "-c", "n1.conf"}}, schema: command},
		{Name: "pid", Help: "the process that the node is already", examples: []any{4711}, schema: object{"type": "integer", "minimum": 2}},
		{Name: "container", Help: "the container that it is already, as docker calls it", examples: []any{"nats-1"}, schema: text},
		{Name: "unit", Help: "the unit that it is already, as systemctl calls it", examples: []any{"redis-server.service"}, schema: text},
		{Name: "pod", Help: "the pod that it is already, as kubectl calls it, with its namespace or without", examples: []any{"kafka-0", "brokers/kafka-0"}, schema: text},
		{Name: "dir", Help: "where the command runs; where brokerbench does by default", examples: []any{"/srv/nats"}, schema: text},
		{Name: "data", Help: "folder in which it keeps its data", examples: []any{"/srv/nats/n1"}, schema: text},
		{Name: "log", Help: "file to which what the command prints is added; a temporary one by default", examples: []any{"n1.log"}, schema: text},
		{Name: "ready", Help: "command that succeeds when the node is ready; it is when it accepts connections by default", examples: []any{[]any{"redis-cli", "-p", "6380", "ping"}}, schema: command},
		{Name: "ready-in", Help: "how long it may take to be ready; a minute by default", examples: []any{"90s"}, schema: matching(durationText)},
	}
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
func (r *reader) readNode(n node, number int) (of plan.Node) {
	of.Name = strconv.Itoa(number)
	before := len(r.found)
	if r.mapping(n, "a node", r.nodeReaders(&of)) && before == len(r.found) {
		r.check(n.at(), of.Validate())
	}
	return of
}

// nodeReaders returns what reads each key of a node.
func (r *reader) nodeReaders(to *plan.Node) map[string]func(key, value node) {
	text := func(into *string) func(node, node) {
		return func(key, v node) {
			if r.want(v, key.Value, isValue) {
				*into = r.expand(v)
			}
		}
	}
	command := func(into *[]string) func(node, node) {
		return func(key, v node) { *into = r.readCommand(key, v) }
	}
	return map[string]func(key, value node){
		"name":    func(_, v node) { to.Name = r.readName(v) },
		"address": text(&to.Address), "container": text(&to.Container), "unit": text(&to.Unit), "pod": text(&to.Pod),
		"dir": text(&to.Dir), "data": text(&to.Data), "log": text(&to.Log),
		"command": command(&to.Command), "ready": command(&to.Ready),
		"pid": func(_, v node) {
			if r.want(v, "pid", isValue) {
				pid, err := strconv.Atoi(r.expand(v))
				if err != nil || pid < 2 {
					r.add(v.at(), "pid %s: want the number of the broker's process", quote(v.Value))
				}
				to.PID = pid
			}
		},
		"ready-in": func(_, v node) {
			if r.want(v, "ready-in", isValue) {
				d, err := parseDuration(v.Value)
				r.check(v.at(), Key{Name: "ready-in"}.wrong(v.Value, err))
				to.ReadyIn = d
			}
		},
	}
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

package config

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/brokerbench/brokerbench/plan"
)

// readNodes reads how a target is run.
func (r *reader) readNodes(n *yaml.Node) *plan.System {
	var s plan.System
	names := make(map[string]bool)
	r.list(n, "nodes", func(item *yaml.Node) {
		one := r.readNode(item, len(s.Nodes)+1)
		if names[one.Name] {
			r.add(placeOf(item), "two nodes are named %s", quote(one.Name))
		}
		names[one.Name], s.Nodes = true, append(s.Nodes, one)
	})
	if len(s.Nodes) == 0 {
		return nil
	}
	return &s
}

// readNode reads the node of that number.
func (r *reader) readNode(n *yaml.Node, number int) plan.Node {
	d, before := new(draft), len(r.found)
	one := &d.node
	one.Name = strconv.Itoa(number)
	fields := r.fields(d.nodeKeys(), func(k Key, v *yaml.Node) { r.check(placeOf(v), k.read(r.expand(v))) })
	fields["name"] = func(_, v *yaml.Node) { one.Name = r.readName(v) }
	fields["command"] = func(key, v *yaml.Node) { one.Command = r.readCommand(key, v) }
	fields["ready"] = func(key, v *yaml.Node) { one.Ready = r.readCommand(key, v) }
	if r.mapping(n, "a node", fields) && before == len(r.found) {
		r.check(placeOf(n), one.Validate())
	}
	return *one
}

// readCommand reads a command: a list, or words.
func (r *reader) readCommand(key, n *yaml.Node) (words []string) {
	if kindOf(n) == isList {
		r.list(n, key.Value, func(item *yaml.Node) {
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
		r.add(placeOf(n), "%s %s: words with quotes are a list: [sh, -c, \"…\"]", key.Value, quote(n.Value))
		return nil
	}
	before := len(r.found)
	if words = strings.Fields(r.expand(n)); len(words) == 0 && before == len(r.found) {
		r.add(placeOf(n), "%s is empty", key.Value)
	}
	return words
}

// nodesSchema takes nodes, each run in one way.
func nodesSchema() object {
	one := strict("A node of the target: one of command, pid, container, unit and pod.", new(draft).nodeKeys(), object{
		"name":    described("Its name in faults and results; 1, 2 and so on by default.", nameSchema()),
		"command": commandSchema("Starts the node in the foreground: a list, or words without quotes.", "nats-server", "-c", "n1.conf"),
		"ready":   commandSchema("Command that succeeds when the node is ready; it is when it accepts connections by default.", "redis-cli", "-p", "6380", "ping"),
	})
	var ways []any
	for _, way := range []string{"command", "pid", "container", "unit", "pod"} {
		ways = append(ways, object{"required": []any{way}})
	}
	one["oneOf"] = ways
	return list("How the target is run, or which processes it is: brokerbench starts and ends its nodes, or watches them.", one)
}

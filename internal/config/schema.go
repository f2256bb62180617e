package config

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
)

// An object is a part of a JSON Schema.
type object = map[string]any

// sweepText finds ranges.
const sweepText = `^[^.]+(\.[0-9]+)?[^.]* ?\.\. ?[^.]+(\.[0-9]+)?[^.]*[*+] ?[0-9].*$`

// Schema returns the JSON Schema (draft 2020-12) of plan files, for editors. It
// comes from the same table of keys as everything else.
func Schema() ([]byte, error) {
	d := new(draft)
	cell := gridSchema("One combination.", d.axes())
	root := strict("A plan for brokerbench: it measures the matrix and the cells on every target.", append(d.settings(), sloKey(), userKey()), object{
		"targets": list("The brokers to measure, one after the other.", targetSchema()),
		"cells":   list("Single combinations for every target, besides the matrix or instead of it.", cell),
		"matrix":  matrixSchema(d.axes()),
		"faults":  faultsSchema(),
	})
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "brokerbench plan"
	return json.MarshalIndent(root, "", "  ")
}

func matrixSchema(axes []Key) object {
	for i, k := range axes {
		one := k.schema
		if k.sweep != "" {
			one = anyOf(one, matching(sweepText))
			axes[i].Help += "; ranges such as " + k.sweep
		}
		axes[i].schema = anyOf(one, object{"type": "array", "items": one, "minItems": 1, "uniqueItems": true})
	}
	const doc = "The full product of these lists, for every target. A single value is a list of one."
	return gridSchema(doc, axes)
}

// gridSchema takes the axes, those of the topology in a mapping.
func gridSchema(doc string, axes []Key) object {
	var flat, nested []Key
	for _, k := range axes {
		if inTopology(k.Name) {
			nested = append(nested, k)
		} else {
			flat = append(flat, k)
		}
	}
	const about = "Topics and groups of consumers; own: each connection consumes what it sends."
	topology := anyOf(object{"const": own}, strict(about, nested, object{}))
	return strict(doc, append(flat, sloKey()), object{topologyKey: described(about, topology)})
}

func targetSchema() object {
	url := described("Such as nats://127.0.0.1:4222, or the name of a broker: nats is the one on this machine. "+
		"${NAME} and ${NAME:-default} stand for variables of the environment.", matching(`^(\$\{|[A-Za-z][A-Za-z0-9+.-]*([:?]|$))`))
	url["examples"] = []any{"nats://127.0.0.1:4222", "nats", "${BROKERBENCH_REDIS_URL:-redis://127.0.0.1:6379}"}
	long := strict("A broker at a URL with options.", []Key{sloKey()}, object{
		"name":  described("Names the target's results; its broker's name if left out.", nameSchema()),
		"url":   url,
		"nodes": nodesSchema(),
		"options": object{
			"type": "object", "additionalProperties": object{"type": []any{"string", "number", "boolean"}},
			"description": "The same as in the URL's query; `brokerbench brokers NAME` lists them.",
			"examples":    []any{object{"acks": "all"}},
		},
	})
	long["required"] = []any{"url"}
	return anyOf(url, long)
}

// strict takes the keys and the other properties, and nothing else.
func strict(doc string, keys []Key, properties object) object {
	for _, k := range keys {
		properties[k.Name] = k.documented()
	}
	return object{"description": doc, "type": "object", "properties": properties, "additionalProperties": false}
}

// documented returns the schema of the key with its help, examples and default.
func (k Key) documented() object {
	schema := described(strings.ToUpper(k.Help[:1])+k.Help[1:]+".", k.schema)
	schema["examples"] = k.examples
	if n, err := strconv.Atoi(k.Default); err == nil {
		schema["default"] = n
	} else if k.Default != "" {
		schema["default"] = k.Default
	}
	return schema
}

func described(doc string, schema object) object {
	schema = maps.Clone(schema)
	schema["description"] = doc
	return schema
}

func list(doc string, items object) object {
	return object{"description": doc, "type": "array", "minItems": 1, "items": items}
}

func anyOf(schemas ...any) object { return object{"anyOf": schemas} }

func matching(pattern string) object { return object{"type": "string", "pattern": pattern} }

// nameSchema also takes an integer, which YAML makes of 2026.
func nameSchema() object { return ofName(nil).schema }

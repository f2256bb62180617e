package config

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// An object is a part of a JSON Schema.
type object = map[string]any

// Patterns of texts. Code and schema are tested to agree.
const (
	rateText     = `^[0-9]+(\.[0-9]+)? ?[kKM]?(/[smh])?$`
	sizeText     = `^[0-9]+(\.[0-9]+)? ?([bB]|[kKmMgG][iI]?[bB])?$`
	durationText = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
	sweepText    = `^[^.]+(\.[0-9]+)?[^.]* ?\.\. ?[^.]+(\.[0-9]+)?[^.]*[*+] ?[0-9].*$`
	sloText      = `^ *(lost-acked *== *0 *$|((response|service|ack|complete|lag|held)\.)?(p\(?[0-9.]+\)?|max|loss|rate|outage|recovery)\s*(<=|>=|<|>|≤|≥)\s*[0-9])`
	burstText    = `^burst:([2-9]|[1-9][0-9]{1,5}|1000000)$` // what schedule.Burst makes of 2 to 1,000,000
)

// Schema returns the JSON Schema (draft 2020-12) of plan files, for editors. It
// comes from the same table of keys as everything else.
func Schema() ([]byte, error) {
	root := strict("A plan for brokerbench: it measures the matrix and the cells on every target.", append(settings(), sloKey()), object{
		"targets": list("The brokers to measure, one after the other.", targetSchema()),
		"cells": list("Single combinations for every target, besides the matrix or instead of it.",
			strict("One combination.", append(axes(), sloKey()), object{})),
		"matrix": matrixSchema(),
		"faults": faultsSchema(),
	})
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "brokerbench plan"
	return json.MarshalIndent(root, "", "  ")
}

func matrixSchema() object {
	keys := axes()
	for i, k := range keys {
		one := k.schema
		if k.sweep != "" {
			one = anyOf(one, matching(sweepText))
			keys[i].Help += "; ranges such as " + k.sweep
		}
		keys[i].schema = anyOf(one, object{"type": "array", "items": one, "minItems": 1, "uniqueItems": true})
	}
	return strict("The full product of these lists, for every target. A single value is a list of one.", append(keys, sloKey()), object{})
}

func targetSchema() object {
	url := described("Such as nats://127.0.0.1:4222, or the name of a broker: nats is the one on this machine. ${NAME} and ${NAME:-default} stand for variables of the environment.",
		matching(`^(\$\{|[A-Za-z][A-Za-z0-9+.-]*([:?]|$))`))
	url["examples"] = []any{"nats://127.0.0.1:4222", "nats", "${BROKERBENCH_REDIS_URL:-redis://127.0.0.1:6379}"}
	long := strict("A broker at a URL with options.", []Key{sloKey()}, object{
		"name": described("Names the target's results; its broker's name if left out.", nameSchema()),
		"url":  url,
		"options": object{
			"type": "object", "additionalProperties": object{"type": []any{"string", "number", "boolean"}},
			"description": "The same as in the URL's query; `brokerbench brokers NAME` lists them.",
			"examples":    []any{object{"acks": "all"}},
		},
	})
	long["properties"].(object)["nodes"] = list("How the target is run, or which processes it is: brokerbench starts and ends its nodes, or watches them.", nodeSchema())
	long["required"] = []any{"url"}
	return anyOf(url, long)
}

// nodeSchema takes one node, which is run in one way.
func nodeSchema() object {
	one := strict("A node of the target: one of command, pid, container, unit and pod.", nodeKeys(), object{})
	for _, way := range []string{"command", "pid", "container", "unit", "pod"} {
		ways, _ := one["oneOf"].([]any)
		one["oneOf"] = append(ways, object{"required": []any{way}})
	}
	return one
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

// or also takes one other value, such as 0 without a unit.
func or(schema object, other any) object { return anyOf(schema, object{"const": other}) }

func words(all ...string) object { return object{"enum": all} }

func matching(pattern string) object { return object{"type": "string", "pattern": pattern} }

func count(limit int) object { return object{"type": "integer", "minimum": 1, "maximum": limit} }

// numeric is a number, or a text with a unit.
func numeric(pattern string) object {
	return anyOf(object{"type": "integer", "minimum": 1}, matching(pattern))
}

// nameSchema also takes an integer, which YAML makes of 2026.
func nameSchema() object {
	return object{"type": []any{"string", "integer"}, "pattern": namePattern}
}

func arrivalsSchema() object {
	return anyOf(words(string(schedule.Constant), string(schedule.Poisson)), matching(burstText))
}

// sloSchema takes one objective or several.
func sloSchema() object {
	return anyOf(matching(sloText), object{"type": "array", "minItems": 1, "items": matching(sloText)})
}

// percentilesSchema takes one number, or several with commas.
func percentilesSchema() object {
	one := "(" + strings.ReplaceAll(regexp.QuoteMeta(commas(plan.KnownPercentiles())), ",", "|") + ")"
	return anyOf(object{"enum": plan.KnownPercentiles()}, matching("^ *"+one+"( *, *"+one+")* *$"))
}

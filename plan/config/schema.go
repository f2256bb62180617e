package config

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// An object is a part of a JSON Schema.
type object = map[string]any

// Patterns of texts. Code and schema are tested to agree.
const (
	rateText     = `^[0-9]+(\.[0-9]+)? ?[kKM]?(/s)?$`
	sizeText     = `^[0-9]+(\.[0-9]+)? ?([bB]|[kKmMgG][iI]?[bB])?$`
	durationText = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
)

// Schema returns the JSON Schema (draft 2020-12) of plan files, for editors. It
// comes from the same table of keys as everything else.
func Schema() ([]byte, error) {
	properties := make(object)
	for _, s := range settings() {
		properties[s.Name] = s.documented(s.schema)
	}
	properties["targets"] = list("What to measure, one after the other.", targetSchema())
	properties["cells"] = list("Single combinations for every target, besides the matrix or instead of it.", cellSchema())
	properties["matrix"] = matrixSchema()
	properties["slo"] = documentedSLO()
	root := strict("What brokerbench measures: the matrix and the cells, on every target.", properties)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "brokerbench plan"
	return json.MarshalIndent(root, "", "  ")
}

func matrixSchema() object {
	properties := make(object)
	for _, a := range axes() {
		one := a.schema
		if a.sweep != "" {
			one = object{"anyOf": []any{a.schema, sweepSchema()}}
			a.Help += "; ranges such as " + a.sweep
		}
		values := object{"type": "array", "items": one, "minItems": 1, "uniqueItems": true}
		properties[a.Name] = a.documented(object{"anyOf": []any{one, values}})
	}
	properties["slo"] = documentedSLO()
	return strict("The full product of these lists, for every target. A single value is a list of one.", properties)
}

func cellSchema() object {
	properties := make(object)
	for _, a := range axes() {
		properties[a.Name] = a.documented(a.schema)
	}
	properties["slo"] = documentedSLO()
	return strict("One combination.", properties)
}

func targetSchema() object {
	url := object{
		"type": "string", "pattern": `^(\$\{|[A-Za-z][A-Za-z0-9+.-]*:)`,
		"description": "Such as nats://127.0.0.1:4222. ${NAME} and ${NAME:-default} stand for variables of the environment.",
		"examples":    []any{"nats://127.0.0.1:4222", "${BROKERBENCH_REDIS_URL:-redis://127.0.0.1:6379}"},
	}
	option := object{"type": []any{"string", "number", "boolean"}}
	long := strict("A broker at a URL with options.", object{
		"name": described("Names the target's results; its broker's name if left out.", nameSchema()),
		"url":  url,
		"slo":  documentedSLO(),
		"options": object{
			"type": "object", "additionalProperties": option, "examples": []any{object{"acks": "all"}},
			"description": "The same as in the URL's query; `brokerbench brokers NAME` lists them.",
		},
	})
	long["required"] = []any{"url"}
	return object{"anyOf": []any{url, long}}
}

// documented returns a schema of the key with its help, examples and default.
func (k Key) documented(schema object) object {
	schema = described(strings.ToUpper(k.Help[:1])+k.Help[1:]+".", schema)
	schema["examples"] = k.examples
	if n, err := strconv.Atoi(k.Default); err == nil {
		schema["default"] = n
	} else if k.Default != "" {
		schema["default"] = k.Default
	}
	return schema
}

func documentedSLO() object { return sloKey().documented(sloKey().schema) }

func described(doc string, schema object) object {
	schema = maps.Clone(schema)
	schema["description"] = doc
	return schema
}

func list(doc string, items object) object {
	return object{"description": doc, "type": "array", "minItems": 1, "items": items}
}

func strict(doc string, properties object) object {
	return object{"description": doc, "type": "object", "properties": properties, "additionalProperties": false}
}

func count(limit int) object { return object{"type": "integer", "minimum": 1, "maximum": limit} }

// numeric is a number, or a text with a unit.
func numeric(pattern string) object {
	return object{"anyOf": []any{object{"type": "integer", "minimum": 1}, object{"type": "string", "pattern": pattern}}}
}

func duration() object { return object{"type": "string", "pattern": durationText} }

// or also takes one other value, such as 0 without a unit.
func or(schema object, other any) object {
	return object{"anyOf": []any{schema, object{"const": other}}}
}

func words(all ...string) object { return object{"enum": all} }

// nameSchema also takes an integer, which YAML makes of 2026.
func nameSchema() object {
	return object{"type": []any{"string", "integer"}, "pattern": namePattern}
}

// percentilesSchema takes one number, or several with commas.
func percentilesSchema() object {
	var names []string
	for _, p := range plan.KnownPercentiles() {
		names = append(names, regexp.QuoteMeta(strconv.FormatFloat(p, 'f', -1, 64)))
	}
	one := "(" + strings.Join(names, "|") + ")"
	return object{"anyOf": []any{
		object{"enum": plan.KnownPercentiles()},
		object{"type": "string", "pattern": "^ *" + one + "( *, *" + one + ")* *$"},
	}}
}

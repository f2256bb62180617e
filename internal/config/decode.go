package config

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A node is a part of a YAML document with its file. Nothing else in this package
// knows the YAML library.
type node struct {
	*yaml.Node
	src *source
}

// The kinds of nodes.
const (
	isNothing = "nothing"
	isValue   = "a single value"
	isList    = "a list"
	isMapping = "a mapping"
)

// decode returns the root of the only document in the source; ok is false if there
// is no document, or a mistake in it.
func (m *mistakes) decode(src *source) (root node, ok bool) {
	if at, ok := src.unreadable(); ok {
		m.add(at, "not a character that YAML allows")
		return node{}, false
	}
	decoder := yaml.NewDecoder(bytes.NewReader(src.data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); err != nil {
		m.syntax(src, err)
		return node{}, false
	}
	if err := decoder.Decode(&second); err == nil {
		m.add(src.at(second.Line, second.Column), "a second document: a plan file is one")
	} else {
		m.syntax(src, err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return node{}, false
	}
	return node{&document, src}.items()[0], true
}

// syntax reports an error of the YAML library. The end of the file is none.
func (m *mistakes) syntax(src *source, err error) {
	var e *yaml.LoadError
	switch {
	case errors.Is(err, io.EOF):
	case !errors.As(err, &e):
		m.add(src.at(0, 0), "%v", err)
	case e.ContextMsg != "":
		m.add(src.syntaxAt(e), "YAML: %s: %s", e.ContextMsg, e.Message)
	default:
		m.add(src.syntaxAt(e), "YAML: %s", e.Message)
	}
}

// syntaxAt returns where an error is. For something that is never closed it returns
// where that begins.
func (s *source) syntaxAt(e *yaml.LoadError) place {
	at := s.at(e.Mark.Line, e.Mark.Column)
	if start := e.ContextMark; start.Line > 0 && strings.TrimSpace(s.line(at.line)) == "" {
		return s.at(start.Line, start.Column)
	}
	return at
}

func (n node) at() place { return n.src.at(n.Line, n.Column) }

// value returns a scalar as it is written, without quotes.
func (n node) value() value { return value{n.Value, n.at()} }

func (n node) kind() string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return isList
	case n.Kind == yaml.MappingNode:
		return isMapping
	case n.ShortTag() == "!!null":
		return isNothing
	}
	return isValue
}

// tag returns the tag of a node, or "" for the tags that YAML gives by itself.
func (n node) tag() string {
	switch tag := n.ShortTag(); tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map", "!!timestamp", "!!merge", "":
		return ""
	default:
		return tag
	}
}

// items returns the items of a list, or the keys of a mapping, each followed by its
// value. It follows aliases. An alias may be inside the node that it stands for, so
// nodes are walked only as deep as a plan file goes.
func (n node) items() (items []node) {
	for _, child := range n.Content {
		if child.Kind == yaml.AliasNode && child.Alias != nil {
			child = child.Alias
		}
		items = append(items, node{child, n.src})
	}
	return items
}

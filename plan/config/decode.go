package config

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// A node is a part of a YAML document with its place. Nothing else in this
// package knows the YAML library.
type node struct {
	yaml *yaml.Node
	src  *source
}

// The kinds of nodes.
const (
	isNothing = "nothing"
	isValue   = "a single value"
	isList    = "a list"
	isMapping = "a mapping"
)

// A pair is an entry of a mapping.
type pair struct{ key, value node }

// decode returns the root of the only document in the source; ok is false if there
// is no document, or a mistake in it.
func decode(src *source, m *mistakes) (root node, ok bool) {
	if at, ok := src.unreadable(); ok {
		m.add(at, "not a character that YAML allows")
		return node{}, false
	}
	loader, err := yaml.NewLoader(bytes.NewReader(src.data))
	if err != nil {
		m.add(src.at(0, 0), "%v", err)
		return node{}, false
	}
	var document, second yaml.Node
	if err := loader.Load(&document); err != nil {
		return node{}, m.syntax(src, err)
	}
	if err := loader.Load(&second); !errors.Is(err, io.EOF) {
		m.syntax(src, err)
		if err == nil {
			m.add(src.at(second.Line, second.Column), "a second document: a plan file is one")
		}
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return node{}, false
	}
	return node{document.Content[0], src}.resolved(), true
}

// syntax reports an error of the YAML library. It returns false.
func (m *mistakes) syntax(src *source, err error) bool {
	var e *yaml.LoadError
	switch {
	case err == nil || errors.Is(err, io.EOF):
	case !errors.As(err, &e):
		m.add(src.at(0, 0), "%v", err)
	case e.ContextMsg != "":
		m.add(src.syntaxAt(e), "YAML: %s: %s", e.ContextMsg, e.Message)
	default:
		m.add(src.syntaxAt(e), "YAML: %s", e.Message)
	}
	return false
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

// resolved follows an alias. An alias may be inside the node that it stands for,
// so nodes are walked only as deep as a plan file goes.
func (n node) resolved() node {
	if n.yaml.Kind == yaml.AliasNode && n.yaml.Alias != nil {
		return node{n.yaml.Alias, n.src}
	}
	return n
}

func (n node) at() place { return n.src.at(n.yaml.Line, n.yaml.Column) }

// text returns a scalar as it is written, without quotes.
func (n node) text() string { return n.yaml.Value }

func (n node) kind() string {
	switch {
	case n.yaml.Kind == yaml.SequenceNode:
		return isList
	case n.yaml.Kind == yaml.MappingNode:
		return isMapping
	case n.yaml.ShortTag() == "!!null":
		return isNothing
	}
	return isValue
}

// tag returns the tag of a node, or "" for the tags that YAML gives by itself.
func (n node) tag() string {
	switch tag := n.yaml.ShortTag(); tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map", "!!timestamp", "!!merge", "":
		return ""
	default:
		return tag
	}
}

func (n node) items() (items []node) {
	for _, child := range n.yaml.Content {
		items = append(items, node{child, n.src}.resolved())
	}
	return items
}

func (n node) pairs() (pairs []pair) {
	items := n.items()
	for i := 0; i+1 < len(items); i += 2 {
		pairs = append(pairs, pair{items[i], items[i+1]})
	}
	return pairs
}

// allowed reports whether YAML allows the character unescaped.
func allowed(r rune, size int) bool {
	switch {
	case r == utf8.RuneError && size == 1, r == 0x7f, r == 0xfffe, r == 0xffff:
		return false
	case r < ' ':
		return r == '\t' || r == '\n' || r == '\r'
	}
	return r < 0x80 || r > 0x9f || r == 0x85
}

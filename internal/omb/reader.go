package omb

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A setting is a key of a file with its value.
type setting struct {
	value string
	items []string // of a list
	line  int
}

// settings are those of a file. A block of Java properties, such as producerConfig, has its settings
// behind a dot: producerConfig.acks.
type settings struct {
	file    string
	left    map[string]setting // not taken yet
	found   []*Mistake
	ignored []string
	notes   []string // for the plan
}

// maxFile is the size of the largest file, in bytes: those of the benchmark have about 1,000.
const maxFile = 1 << 20

// read reads a file. Settings that are ignored may be named with or without their block.
func read(f File, ignored []string) (*settings, error) {
	s := &settings{file: f.Name, left: make(map[string]setting)}
	if len(f.Text) > maxFile {
		return nil, &Mistake{File: f.Name, Reason: fmt.Sprintf("more than %d bytes are no file of the benchmark", maxFile)}
	}
	var document yaml.Node
	if err := yaml.NewDecoder(strings.NewReader(string(f.Text))).Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, &Mistake{File: f.Name, Reason: "no YAML: " + oneLine(err.Error())}
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, &Mistake{File: f.Name, Line: 1, Reason: "want a workload or a driver: keys with values"}
	}
	fields := document.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		s.add(fields[i].Value, fields[i+1])
	}
	for key := range maps.Clone(s.left) {
		_, short, _ := strings.Cut(key, ".")
		if slices.Contains(ignored, key) || short != "" && slices.Contains(ignored, short) {
			delete(s.left, key)
			s.ignored = append(s.ignored, key)
		}
	}
	slices.Sort(s.ignored)
	return s, nil
}

// add adds a key, or the keys of a block.
func (s *settings) add(key string, v *yaml.Node) {
	if v.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(v.Content); i += 2 {
			s.add(key+"."+v.Content[i].Value, v.Content[i+1])
		}
		return
	}
	if v.Kind == yaml.ScalarNode && strings.HasSuffix(key, "Config") {
		s.addProperties(key, v)
		return
	}
	one := setting{value: v.Value, line: v.Line}
	for _, item := range v.Content {
		one.items = append(one.items, item.Value)
	}
	s.left[key] = one
}

// addProperties adds the lines of a block: name=value.
func (s *settings) addProperties(block string, v *yaml.Node) {
	first := v.Line
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		first++
	}
	for i, text := range strings.Split(v.Value, "\n") {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		name, value, _ := strings.Cut(text, "=")
		s.left[block+"."+strings.TrimSpace(name)] = setting{value: strings.TrimSpace(value), line: first + i}
	}
}

// refuse adds a mistake about a setting.
func (s *settings) refuse(key string, line int, format string, args ...any) {
	s.found = append(s.found, &Mistake{File: s.file, Line: line, Key: key, Reason: fmt.Sprintf(format, args...)})
}

// take returns a setting, which then counts as read.
func (s *settings) take(key string) (one setting, ok bool) {
	one, ok = s.left[key]
	delete(s.left, key)
	return one, ok
}

// text returns a value, or another one if the file has none.
func (s *settings) text(key, otherwise string) string {
	if one, ok := s.take(key); ok {
		return one.value
	}
	return otherwise
}

// variable is one with a default: ${NAME:-15}.
var variable = regexp.MustCompile(`^\$\{\w+:-([^}]*)\}$`)

// number returns a number of at least so much, or another one if the file has none.
func (s *settings) number(key string, least, otherwise int) int {
	one, ok := s.take(key)
	if !ok {
		if otherwise < least {
			s.refuse(key, 0, "the file has none: want a number of %d or more", least)
		}
		return otherwise
	}
	value := one.value
	if fields := variable.FindStringSubmatch(value); fields != nil {
		value = fields[1]
		s.notes = append(s.notes, fmt.Sprintf("%s is %s, the default of its variable.", key, value))
	}
	switch n, err := strconv.Atoi(value); {
	case err != nil || n < least:
		s.refuse(key, one.line, "%q: want a number of %d or more", one.value, least)
	default:
		return n
	}
	return least
}

// only takes a setting that must have one of some values, and refuses others with a reason.
func (s *settings) only(key, reason string, values ...string) {
	if one, ok := s.take(key); ok && !slices.Contains(values, one.value) {
		s.refuse(key, one.line, "%s: %s", one.value, reason)
	}
}

// unread returns the mistakes, in the order of the lines: with one for each setting that nothing has taken.
func (s *settings) unread() error {
	for key, one := range s.left {
		s.refuse(key, one.line, "brokerbench has no such setting (if the measurement does not depend on it, add --ignore %s)", key)
	}
	slices.SortFunc(s.found, func(a, b *Mistake) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key)) })
	var errs []error
	for _, m := range s.found {
		errs = append(errs, m)
	}
	return errors.Join(errs...)
}

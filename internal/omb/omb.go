// Package omb reads files of the OpenMessaging Benchmark
// (https://github.com/openmessaging/benchmark): a workload and a driver become a plan.
//
// Nothing is guessed. A setting without an equivalent is a [Mistake], unless the user lists it as one
// to leave out; the plan names it then. A setting whose equivalent differs has a comment in the plan.
package omb

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// A File is a workload or a driver.
type File struct {
	Name string // for messages
	Text []byte
}

// A Mistake is a setting that cannot be imported.
type Mistake struct {
	File   string
	Line   int // from 1; 0: of no line
	Key    string
	Reason string
}

// Error implements error: driver.yaml:12: producerConfig.retries: reason.
func (m *Mistake) Error() string {
	where := m.File
	if m.Line > 0 {
		where = fmt.Sprintf("%s:%d", m.File, m.Line)
	}
	if m.Key == "" {
		return where + ": " + m.Reason
	}
	return where + ": " + m.Key + ": " + m.Reason
}

// Import returns the plan file of a workload and a driver, without the settings that are ignored. The error
// joins a [*Mistake] for each setting that has no equivalent, the workload's first.
func Import(workload, driver File, ignored []string) (string, error) {
	w, errW := read(workload, ignored)
	d, errD := read(driver, ignored)
	if err := errors.Join(errW, errD); err != nil {
		return "", err
	}
	if unused := notIn(ignored, w.ignored, d.ignored); unused != "" {
		return "", fmt.Errorf("--ignore %s: neither file has it", unused)
	}
	base := filepath.Base(workload.Name)
	p := &draft{name: plan.FileName(strings.TrimSuffix(base, filepath.Ext(base)))}
	p.readWorkload(w)
	p.readDriver(d)
	if err := errors.Join(w.unread(), d.unread()); err != nil {
		return "", err
	}
	p.notes = append(p.notes, append(w.notes, d.notes...)...)
	return p.text(workload.Name, driver.Name, slices.Concat(w.ignored, d.ignored)), nil
}

// notIn returns the first ignored name that no list has; "" if there is none.
func notIn(ignored []string, found ...[]string) string {
	for _, name := range ignored {
		has := func(key string) bool { return key == name || strings.HasSuffix(key, "."+name) }
		if !slices.ContainsFunc(slices.Concat(found...), has) {
			return name
		}
	}
	return ""
}

// A draft is a plan to write.
type draft struct {
	name             string
	minutes, warmup  int
	topics, parts    int // topics, and the partitions of each
	producers        int // of each topic
	groups, consumer int // groups of each topic, and the consumers of each group
	rate, size       int
	backlog          int // GiB; 0: none
	payload, keys    string
	target, url      string
	own              bool // each connection consumes what it sends
	options          []string
	notes            []string
}

func (p *draft) note(text string) { p.notes = append(p.notes, text) }

// option adds an option of the target.
func (p *draft) option(name, value string) {
	p.options = append(p.options, fmt.Sprintf("%s: %q", name, value))
}

// text returns the plan file.
func (p *draft) text(workload, driver string, ignored []string) string {
	var b strings.Builder
	if p.topics > 1 && !p.own {
		p.note("There, each consumer has one topic. Here, the members of a group share all topics.")
	}
	fmt.Fprintf(&b, "# From %s and %s of the OpenMessaging Benchmark.\n", oneLine(workload), oneLine(driver))
	for _, note := range p.notes {
		fmt.Fprintf(&b, "# - %s\n", note)
	}
	for _, name := range ignored {
		fmt.Fprintf(&b, "# - %s is left out, as --ignore says.\n", name)
	}
	fmt.Fprintf(&b, "name: %q\nduration: %dm\nwarmup: %dm\n\ntargets:\n  - name: %s\n    url: %q\n", p.name, p.minutes, p.warmup, p.target, p.url)
	if len(p.options) > 0 {
		fmt.Fprintf(&b, "    options: {%s}\n", strings.Join(p.options, ", "))
	}
	fmt.Fprintf(&b, "\nmatrix:\n  rate: %d\n  size: %dB\n  connections: %d\n", p.rate, p.size, p.topics*p.producers)
	if !p.own {
		fmt.Fprintf(&b, "  topology: {topics: %d, groups: %d, members: %d}\n", p.topics, p.groups, p.topics*p.consumer)
	}
	if p.backlog > 0 {
		fmt.Fprintf(&b, "  backlog: %dGiB\n", p.backlog)
	}
	if p.payload != "" {
		fmt.Fprintf(&b, "  payload: %s\n", p.payload)
	}
	if p.keys != "" {
		fmt.Fprintf(&b, "  keys: %s\n", p.keys)
	}
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

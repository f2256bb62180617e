package config_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
)

// FuzzParse checks that nothing makes reading panic, that every mistake has its
// form, and that a plan written as a plan file is read as the same plan.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/mistakes/*.yaml", "../../deploy/plans/*.yaml", "template.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	for _, text := range append(goodFiles, badFiles...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, err := config.Parse("fuzz.yaml", data, config.Overrides{}, testOptions())
		if err != nil {
			checkMistakes(t, err)
			return
		}
		if err := want.Validate(); err != nil && len(want.Targets) > 0 {
			t.Fatalf("the plan is not valid: %v", err)
		}
		if len(want.Shapes) > 1000 || strings.Contains(targets(want)+faults(want.Settings.Faults), "${") {
			return // slow, or made of variables in a way that cannot be written
		}
		if got := load(t, write(want), nil); all(got) != all(want) {
			t.Fatalf("%+v\nwas written as\n%s\nand read as\n%+v", want, write(want), got)
		}
	})
}

// all returns everything in a plan, also what its pointers point to.
func all(p plan.Plan) (text string) {
	p.Targets = slices.Clone(p.Targets)
	for i := range p.Targets {
		if s := p.Targets[i].System; s != nil {
			text += fmt.Sprintf("%d: %+v\n", i, *s)
		}
		p.Targets[i].System = nil
	}
	return text + faults(p.Settings.Faults) + fmt.Sprintf("%+v", p)
}

// checkMistakes checks that every mistake is in one line, its excerpt in two.
func checkMistakes(t *testing.T, err error) {
	var mistakes config.Mistakes
	ok := errors.As(err, &mistakes)
	if !ok || len(mistakes) == 0 {
		t.Fatalf("got %T %v, want Mistakes", err, err)
	}
	for _, m := range mistakes {
		placed := strings.HasPrefix(m.Where, "fuzz.yaml") || strings.HasPrefix(m.Message, "the plan has") // too many cells
		if m.Message == "" || !placed || strings.Contains(m.Message, "\n") {
			t.Fatalf("mistake %+v", m)
		}
		if n := strings.Count(m.Excerpt, "\n"); m.Excerpt != "" && n != 2 {
			t.Fatalf("excerpt of %d lines: %q", n, m.Excerpt)
		}
	}
}

// write returns a plan as a plan file with a cell for each shape.
func write(p plan.Plan) string {
	var b strings.Builder
	s := p.Settings
	fmt.Fprintf(&b, "name: %q\nduration: %v\nwarmup: %v\ntimeout: %v\nrepeat: %d\n", p.Name, s.Duration, s.Warmup, s.Timeout, p.Repeat)
	onOff := map[bool]string{true: "on", false: "off"}
	percentiles := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Percentiles), "[]"), " ", ",")
	fmt.Fprintf(&b, "seed: %d\nsenders: %d\nspin: %v\nfloor: %s\naudit: %s\ncold: %s\npercentiles: %s\n", s.Seed, s.Senders, s.Spin, onOff[s.Floor], onOff[s.Audit], onOff[s.Cold], percentiles)
	for i, u := range s.Users {
		fmt.Fprintf(&b, "%s- %v\n", map[bool]string{true: "user:\n"}[i == 0], u)
	}
	if all := slos(p, "", nil); all != "" {
		b.WriteString(strings.TrimPrefix(all, ", ") + "\n")
	}
	if len(p.Targets) > 0 {
		b.WriteString("targets:\n")
	}
	for _, t := range p.Targets {
		url, _ := json.Marshal(t.URL) // YAML reads the texts of JSON
		fmt.Fprintf(&b, "- {name: %q, url: %s%s%s}\n", t.Name, url, slos(p, t.Name, nil), nodes(t.System))
	}
	b.WriteString(faults(p.Settings.Faults) + "cells:\n")
	for _, s := range p.Shapes {
		inFlight := "open"
		if s.InFlight > 0 {
			inFlight = fmt.Sprint(s.InFlight)
		}
		size := cmp.Or(string(s.Sizes), strconv.Itoa(s.Size))
		headers := plan.NoHeaders
		if h := s.Headers; h.Count > 0 {
			headers = fmt.Sprintf("%dx%d", h.Count, h.Bytes)
		}
		topology := "own"
		if t := s.Topology; !t.Own() {
			topology = fmt.Sprintf("{topics: %d, groups: %d, members: %d}", t.Topics, t.Groups, t.Members)
		}
		backlog := "none"
		switch {
		case s.Backlog.Bytes > 0:
			backlog = fmt.Sprintf("%dB", s.Backlog.Bytes)
		case s.Backlog.Messages > 0:
			backlog = fmt.Sprint(s.Backlog.Messages)
		}
		fmt.Fprintf(&b, "- {rate: %v, size: %q, connections: %d, in-flight: %s, arrivals: %s, topology: %s, payload: %q, headers: %s, keys: %q, backlog: %s, until-store: %s%s}\n",
			s.Rate, size, s.Connections, inFlight, s.Arrivals, topology, s.Payload.String(), headers, s.Keys.String(), backlog, untilStore(s), slos(p, "", &s))
	}
	return b.String()
}

// faults writes the faults, a line each.
func faults(list []plan.Fault) string {
	if len(list) == 0 {
		return ""
	}
	text := "faults:\n"
	for _, f := range list {
		do, _ := json.Marshal(map[string]any{"do": f.Do, "node": f.Node})
		if f.Do == plan.Run {
			do, _ = json.Marshal(map[string]any{"run": f.Command})
		}
		if f.Do == plan.ConsumerPause {
			do = []byte(`{"pause": consumers`)
		}
		text += fmt.Sprintf("- %s, at: %v, for: %v, restart: %v, delay: %v, jitter: %v, loss: %v", strings.TrimSuffix(string(do), "}"), f.At, f.For, f.Restart, f.Delay, f.Jitter, f.Loss)
		if f.Throttle > 0 {
			text += fmt.Sprintf(", throttle: %d", f.Throttle)
		}
		if f.Fresh {
			text += ", fresh: on"
		}
		text += "}\n"
	}
	return text
}

// nodes writes how a target is run.
func nodes(s *plan.System) string {
	if s == nil {
		return ""
	}
	var list []map[string]any
	for _, n := range s.Nodes {
		one := map[string]any{"name": n.Name, "ready-in": n.ReadyIn.String(), "command": n.Command, "ready": n.Ready, "pid": n.PID}
		for key, text := range map[string]string{
			"address": n.Address, "container": n.Container, "unit": n.Unit, "pod": n.Pod, "dir": n.Dir, "data": n.Data, "log": n.Log, "on": n.On,
		} {
			one[key] = text
		}
		for key, value := range one {
			if v := reflect.ValueOf(value); v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 || value == "0s" {
				delete(one, key)
			}
		}
		list = append(list, one)
	}
	text, _ := json.Marshal(list) // YAML reads the texts of JSON
	return ", nodes: " + string(text)
}

// untilStore writes the bytes that a store is to hold.
func untilStore(s plan.Shape) string {
	if s.UntilStore == 0 {
		return "none"
	}
	return fmt.Sprintf("%dB", s.UntilStore)
}

// slos writes the objectives that are for a target, a shape, or all.
func slos(p plan.Plan, target string, shape *plan.Shape) string {
	var list []string
	for _, s := range p.SLOs {
		if s.Target == target && (s.Shape == nil) == (shape == nil) && (shape == nil || *s.Shape == *shape) {
			list = append(list, strconv.Quote(s.Objective.String()))
		}
	}
	if list == nil {
		return ""
	}
	return ", slo: [" + strings.Join(list, ", ") + "]"
}

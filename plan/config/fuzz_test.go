package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/config"
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
		if len(want.Shapes) > 1000 || strings.Contains(targets(want), "${") {
			return // slow, or made of variables in a way that cannot be written
		}
		if got := load(t, write(want), nil); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) || faults(got.Settings.Faults) != faults(want.Settings.Faults) {
			t.Fatalf("%+v\nwas written as\n%s\nand read as\n%+v", want, write(want), got)
		}
	})
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
	fmt.Fprintf(&b, "seed: %d\nsenders: %d\nspin: %v\nfloor: %s\naudit: %s\npercentiles: %s\n", s.Seed, s.Senders, s.Spin, onOff[s.Floor], onOff[s.Audit], percentiles)
	if all := slos(p, "", nil); all != "" {
		b.WriteString(strings.TrimPrefix(all, ", ") + "\n")
	}
	if len(p.Targets) > 0 {
		b.WriteString("targets:\n")
	}
	for _, t := range p.Targets {
		url, _ := json.Marshal(t.URL) // YAML reads the texts of JSON
		fmt.Fprintf(&b, "- {name: %q, url: %s%s}\n", t.Name, url, slos(p, t.Name, nil))
	}
	b.WriteString(faults(p.Settings.Faults) + "cells:\n")
	for _, s := range p.Shapes {
		inFlight := "open"
		if s.InFlight > 0 {
			inFlight = fmt.Sprint(s.InFlight)
		}
		fmt.Fprintf(&b, "- {rate: %v, size: %d, connections: %d, in-flight: %s, arrivals: %s%s}\n", s.Rate, s.Size, s.Connections, inFlight, s.Arrivals, slos(p, "", &s))
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
		switch f.Do {
		case plan.Run:
			do, _ = json.Marshal(map[string]any{"run": f.Command})
		case plan.Fall:
			do = []byte(`{"pause": consumers`)
		}
		text += fmt.Sprintf("- %s, at: %v, for: %v, restart: %v, delay: %v, jitter: %v, loss: %v", strings.TrimSuffix(string(do), "}"), f.At, f.For, f.Restart, f.Delay, f.Jitter, f.Loss)
		if f.Throttle > 0 {
			text += fmt.Sprintf(", throttle: %d", f.Throttle)
		}
		text += "}\n"
	}
	return text
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

package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/config"
)

func TestTargetsWithNames(t *testing.T) {
	for _, tt := range []struct{ file, given, want string }{
		{"", "fast=nats://h", "fast=nats://h"},
		{"", "a=nats://h?x=1 nats://h?x=2", "a=nats://h?x=1 nats=nats://h?x=2"},
		{"", "loopback:?delay=1ms", "loopback=loopback:?delay=1ms"},
		{"", "größe=nats://h 東京=nats://i", "größe=nats://h 東京=nats://i"},
		{"", "nats=redis://h nats://i", "nats=redis://h nats-2=nats://i"},
		{"targets: [{name: a, url: nats://h}]", "a b=nats://i", "a=nats://h b=nats://i"},
	} {
		p, err := config.Parse("p", []byte(tt.file), flags(config.Values{"targets": strings.Fields(tt.given)}), testOptions())
		if err != nil || targets(p) != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.given, targets(p), err, tt.want)
		}
	}
}

func TestTargetsWithBadNames(t *testing.T) {
	for given, want := range map[string]string{
		"a=nats://h a=nats://i": "two targets are named a",
		"=nats://h":             `name "": want letters`,
		"a/b=nats://h":          `name "a/b": want letters`,
		"-a=nats://h":           `name "-a": want letters`,
		"a=natz":                "not a URL",
		"a=refused://h":         "target refused",
		"gr-e-cd38f49a=nats://h größe=nats://i": "two targets are named größe",
		strings.Repeat("x", 65) + "=nats://h":   "at most 64",
	} {
		_, err := config.Load("", flags(config.Values{"targets": strings.Fields(given)}), testOptions())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", given, err, want)
		}
	}
}

// Names of other scripts make cells whose folders any system takes.
func TestIDsOfNamesInOtherScripts(t *testing.T) {
	p := load(t, "targets: [{name: größe, url: nats://h}, {name: 東京, url: nats://h}, {name: 大阪, url: nats://h}]", nil)
	seen := make(map[string]bool)
	for _, c := range p.Cells() {
		id := c.ID()
		if seen[id] || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzB0123456789.-") != "" {
			t.Errorf("%s has the ID %q", c.Target.Name, id)
		}
		seen[id] = true
		if want := fmt.Sprintf("%s, %v", c.Target.Name, c.Shape); c.String() != want {
			t.Errorf("people read %s, want %s", c, want)
		}
	}
}

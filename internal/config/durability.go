package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// durabilityOption is the option of a target for the level that an acknowledged message
// survives. Every broker with levels takes it.
const durabilityOption = "durability"

// durabilityKeys returns the settings about acknowledged messages.
func durabilityKeys() []Key {
	return []Key{
		{
			Name: "durability", words: durabilities(), Help: "level that an acknowledged message survives, for targets without the option: none, accepted, process, machine or node; see brokerbench durability",
			examples: []any{"process", "machine"}, schema: words(durabilities()...),
			put: into(func(d *draft) *string { return &d.durability }, parseDurability),
		},
		{
			Name: "audit", Default: "on", words: []string{"on", "off"}, Help: "read the store of each target afterwards, and compare it with the acknowledged messages: on, off",
			examples: []any{"on", "off"}, schema: words("on", "off"),
			put: into(func(d *draft) *bool { return &d.Settings.Audit }, parseSwitch),
		},
	}
}

// durabilities returns the words of the key durability. They are those of
// requester.Durabilities, which this package may not import.
func durabilities() []string { return []string{"none", "accepted", "process", "machine", "node"} }

func parseDurability(text string) (string, error) {
	if !slices.Contains(durabilities(), text) {
		return "", fmt.Errorf("want %s", strings.Join(durabilities(), ", "))
	}
	return text, nil
}

// WithDurability adds a level of durability to the URL of a target, unless it has one. "" is
// no level.
func WithDurability(target, durability string) string {
	_, query, _ := strings.Cut(target, "?")
	if given, _ := url.ParseQuery(query); durability == "" || given.Has(durabilityOption) {
		return target
	}
	return withOption(target, durabilityOption, durability)
}

// durability returns the level for targets without that option; "" if none is given, or one
// that does not exist, which checkKey reports.
func (r *reader) durability() string {
	level := r.settings[durabilityOption].text
	if given := r.over.Given(durabilityOption); len(given) > 0 {
		level = given[0]
	}
	if !slices.Contains(durabilities(), level) {
		return ""
	}
	return level
}

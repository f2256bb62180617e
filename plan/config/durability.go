package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// durabilityOption is the option by which a target says what an acknowledged message
// survives. Each broker that has levels has it.
const durabilityOption = "durability"

// promiseKeys returns the settings about what is promised, and kept.
func promiseKeys() []Key {
	return []Key{
		{
			Name: "durability", words: durabilities(), Help: "what an acknowledged message survives, of targets that do not say it themselves: none, accepted, process, machine or node; brokerbench durability explains",
			examples: []any{"process", "machine"}, schema: words(durabilities()...),
			put: into(func(d *draft) *string { return &d.durability }, parseDurability),
		},
		{
			Name: "audit", Default: "on", words: []string{"on", "off"}, Help: "read back afterwards what a target has kept, and compare it with what it acknowledged: on, off",
			examples: []any{"on", "off"}, schema: words("on", "off"),
			put: into(func(d *draft) *bool { return &d.Settings.Audit }, parseSwitch),
		},
	}
}

// durabilities returns the words of the key durability: requester.Durabilities, which is on
// a floor above.
func durabilities() []string { return []string{"none", "accepted", "process", "machine", "node"} }

func parseDurability(text string) (string, error) {
	if !slices.Contains(durabilities(), text) {
		return "", fmt.Errorf("want %s", strings.Join(durabilities(), ", "))
	}
	return text, nil
}

// WithDurability returns a target's URL that asks for a level of durability, unless it asks
// for one itself. "" is no level.
func WithDurability(target, durability string) string {
	_, query, _ := strings.Cut(target, "?")
	if given, _ := url.ParseQuery(query); durability == "" || given.Has(durabilityOption) {
		return target
	}
	return withOption(target, durabilityOption, durability)
}

// durability returns the level that targets without one of their own ask for; "" if none
// is given, or one that does not exist, which is a mistake of its own.
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

// Package powercut lists the brokers whose promise to keep acknowledged messages through a loss of power was
// tested. The numbers are those of docs/durability.md, which `make power-cut` measures.
package powercut

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A Test is what cuts of the power of one version of a broker, at one level of durability, did to acknowledged messages.
type Test struct {
	Broker  string               `json:"broker"`  // in the table of brokers
	Product string               `json:"product"` // as its client describes it
	Version string               `json:"version"` // as the broker reports it, up to a blank
	Client  string               `json:"client"`  // the module
	Level   requester.Durability `json:"level"`   // Machine: the only node lost its power; Node: the first of three
	// Setting is one of the server that the level leaves open, such as appendfsync; zero: there is none.
	Setting results.Setting `json:"setting,omitzero"`

	Cuts  int   `json:"cuts"` // after which the store could be read
	Acked int64 `json:"acknowledged"`
	Lost  int64 `json:"lost"` // of these
}

// String names the version, the cuts and the losses.
func (t Test) String() string {
	return fmt.Sprintf("%s of %s, %s of %s acknowledged messages lost",
		words.Plural(t.Cuts, "cut"), t.Name(), words.Count(t.Lost), words.Count(t.Acked))
}

// Name returns product and version.
func (t Test) Name() string { return t.Product + " " + t.Version }

// Covers reports whether the test is of a broker that was measured, with the setting that it has.
func (t Test) Covers(b results.Broker) bool {
	version, _, _ := strings.Cut(b.Version, " ")
	client, _, _ := strings.Cut(b.Client, "@")
	return t.Product == b.Product && t.Version == version && t.Client == client &&
		(t.Setting == results.Setting{} || slices.Contains(b.Settings, t.Setting))
}

// Testable reports whether a level promises to survive a loss of power.
func Testable(level requester.Durability) bool {
	return level.AtLeast(requester.Machine) && level.Valid()
}

// Of returns the tests of a broker, by its name in the table, at a level.
func Of(broker string, level requester.Durability) (tests []Test) {
	for _, t := range All() {
		if t.Broker == broker && t.Level == level {
			tests = append(tests, t)
		}
	}
	return tests
}

// Note says of a broker that was measured at a level whether that was tested by a power cut; "" if the level promises
// nothing of the kind.
func Note(b results.Broker, level requester.Durability) string {
	if !Testable(level) {
		return ""
	}
	var others []string
	for _, t := range All() {
		switch {
		case t.Level != level:
		case t.Covers(b):
			return fmt.Sprintf("durability %s was tested by power cut: %s", level, t)
		case t.Product == b.Product:
			others = append(others, t.Name())
		}
	}
	note := fmt.Sprintf("durability %s is by configuration only: no power cut tested it", level)
	if len(others) > 0 {
		note += " with this version, client and setting (tested: " + words.And(others) + ")"
	}
	return note
}

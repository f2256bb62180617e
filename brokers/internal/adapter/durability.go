package adapter

import (
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// define adds the options of a target, which stand behind its command: "exec:./my-adapter ?durability=process".
func (f *Factory) define(set target.Options) { f.durable.Define(set, Levels()) }

// Options returns every option with its default and a line of documentation.
func Options(string) []requester.Setting {
	return target.NewOptions(Scheme, new(Factory).define).Settings()
}

// Levels returns the levels of durability. The command has the settings that a level needs.
func Levels() (levels []target.Level) {
	for _, level := range requester.Durabilities() {
		levels = append(levels, target.Level{Durability: level, Asked: "hello", Note: "the adapter states its level, or refuses this one; not verified"})
	}
	return levels
}

// greeting returns the body of hello.
func (f *Factory) greeting() []byte {
	text := "protocol=" + Version + "\nrun=" + f.run + "\n"
	if level := f.durable.Asked(); level != "" {
		text += "durability=" + string(level) + "\n"
	}
	if f.echo {
		text += "echo=true\n"
	}
	return []byte(text)
}

// backing returns the durability that an adapter states; nil if it states none and none is asked for.
func (f *Factory) backing(said requester.Durability) (*requester.Backing, error) {
	because := "the adapter states " + string(said)
	switch {
	case said == "" && f.durable.Asked() == "":
		return nil, nil
	case said == "":
		said, because = requester.None, "the adapter states no durability"
	case !said.Valid():
		return nil, fmt.Errorf("%q is no level: %v", said, requester.Durabilities())
	}
	b, err := f.durable.Back(requester.Node, target.Limit{Level: said, Because: because, Remedy: "have the adapter state the level (docs/adapters.md)"})
	b.Limit = "" // it is the adapter's own level
	b.NotVerified = append(b.NotVerified, "only the adapter says so")
	return b, err
}

package config

import (
	"errors"

	"github.com/brokerbench/brokerbench/plan"
)

const echoOff = "off"

// echoKey returns the setting for the sender of replies.
func echoKey() Key {
	all := []string{echoOff, string(plan.EchoProcess), string(plan.EchoAgent)}
	return Key{
		Name: "echo", Default: echoOff, words: all,
		Help:     "sender of replies: off (messages come back by themselves: one hop), process (another process on this machine: two hops), or agent (the next agent)",
		examples: []any{string(plan.EchoProcess)}, schema: words(all...),
		put: into(func(d *draft) *plan.Echo { return &d.Settings.Echo }, parseEcho),
	}
}

func parseEcho(text string) (plan.Echo, error) {
	switch e := plan.Echo(text); e {
	case echoOff:
		return "", nil
	case plan.EchoProcess, plan.EchoAgent:
		return e, nil
	}
	return "", errors.New("want off, process or agent")
}

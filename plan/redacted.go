package plan

import "slices"

// Redacted returns the target without its secrets, which redact removes from a text: from its
// URL, and from the commands of its nodes.
func (t Target) Redacted(redact func(string) string) Target {
	t.URL = redact(t.URL)
	if t.System == nil {
		return t
	}
	s := *t.System
	s.Formed = redacted(s.Formed, redact)
	s.Nodes, s.Helpers = slices.Clone(s.Nodes), slices.Clone(s.Helpers)
	for _, nodes := range [][]Node{s.Nodes, s.Helpers} {
		for i := range nodes {
			nodes[i].Command, nodes[i].Ready = redacted(nodes[i].Command, redact), redacted(nodes[i].Ready, redact)
		}
	}
	t.System = &s
	return t
}

// Redacted returns the settings without the secrets in the commands of their faults.
func (s Settings) Redacted(redact func(string) string) Settings {
	s.Faults = slices.Clone(s.Faults)
	for i := range s.Faults {
		s.Faults[i] = s.Faults[i].Redacted(redact)
	}
	return s
}

// Redacted returns the fault without the secrets in its command.
func (f Fault) Redacted(redact func(string) string) Fault {
	f.Command = redacted(f.Command, redact)
	return f
}

func redacted(words []string, redact func(string) string) []string {
	words = slices.Clone(words)
	for i := range words {
		words[i] = redact(words[i])
	}
	return words
}

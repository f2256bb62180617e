package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Subjects are those of one run. An agent may publish only on its own, and hears only its
// own orders.
type Subjects struct{ Run string }

// Beat is where an agent reports; "*" for all of them.
func (s Subjects) Beat(agent string) string { return fmt.Sprintf("bb.%s.up.beat.%s", s.Run, agent) }

// Orders is where an agent hears what to do.
func (s Subjects) Orders(agent string) string { return fmt.Sprintf("bb.%s.down.%s", s.Run, agent) }

// Inbox is where an agent hears answers, without the last part.
func (s Subjects) Inbox(agent string) string { return fmt.Sprintf("_INBOX.bb.%s.%s", s.Run, agent) }

// Answers tells whether a subject is below an agent's inbox. An agent that asks for an answer
// elsewhere would have the coordinator speak in its place, with the coordinator's rights.
func (s Subjects) Answers(agent, subject string) bool {
	return strings.HasPrefix(subject, s.Inbox(agent)+".")
}

// Coordinator is where the coordinator hears answers, without the last part.
func (s Subjects) Coordinator() string { return "_INBOX.coordinator." + s.Run }

// Result is where a chunk of a result goes. Its answer is empty, or says why the chunk was not taken.
func (s Subjects) Result(agent, key string, chunk int) string {
	return fmt.Sprintf("bb.%s.result.%s.%s.%d", s.Run, agent, key, chunk)
}

// ReadResult reads a subject that Result returned; ok is false for another one.
func (s Subjects) ReadResult(subject string) (agent, key string, chunk int, ok bool) {
	words := strings.Split(subject, ".")
	if len(words) != 6 {
		return "", "", 0, false
	}
	chunk, err := strconv.Atoi(words[5])
	agent, key = words[3], words[4]
	return agent, key, chunk, err == nil && subject == s.Result(agent, key, chunk)
}

// Results are all chunks of an agent; "*" for all of them.
func (s Subjects) Results(agent string) string {
	return fmt.Sprintf("bb.%s.result.%s.>", s.Run, agent)
}

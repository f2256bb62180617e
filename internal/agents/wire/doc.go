// Package wire is the protocol between the coordinator of a run and its agents: the
// subjects, the messages, the file by which an agent joins, and the encoding of results.
//
// An agent reports its state in a beat, twice a second and whenever it changes. The
// coordinator answers each beat, which renews the lease of both. The answer holds the
// agent's orders. They are levels, not edges: the coordinator repeats an order until the
// state of the agent shows that it was followed, and an agent that has followed it does
// nothing. So a lost, late or duplicate message changes nothing.
package wire

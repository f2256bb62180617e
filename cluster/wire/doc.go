// Package wire is what the coordinator of a run and its agents say to each other: the
// subjects, the messages, the file by which an agent joins, and how results travel.
//
// An agent reports its state in a beat, twice a second and whenever it changes; the
// coordinator answers each, which renews the lease of both. What an agent has to do
// is said in orders. They are levels, not edges: the coordinator repeats an order
// until the state of the agent shows that it was followed, and an agent that has followed
// it does nothing. So a message that is lost, late or doubled changes nothing.
package wire

// Package cause is the schema of the causes of the worst messages of a cell: of their part of cell.json, and of causes.json.
package cause

import (
	"fmt"
	"iter"
)

// The schema and the name of causes.json.
const (
	Schema = "brokerbench/causes/1"
	File   = "causes.json"
)

// Causes says why the worst messages of a window were slow, as far as they coincided with their pauses more often than
// chance explains. See docs/causes.md.
type Causes struct {
	Pauses  int        `json:"pauses"`  // those that are judged: the worst, 40 at most
	Verdict string     `json:"verdict"` // Found, None or Undecided
	Reason  string     `json:"reason,omitempty"`
	Causes  []Cause    `json:"causes,omitempty"` // the one that explains the most pauses first
	Marks   []Pause    `json:"marks,omitempty"`  // the judged pauses, in the order of time
	Missing []NotKnown `json:"unavailable,omitempty"`
}

// The verdicts of [Causes].
const (
	Found     = "causes"
	None      = "none"
	Undecided = "undecided" // there are too few pauses, or too few samples
)

// A Cause coincides with pauses more often than chance explains.
type Cause struct {
	Cause    string  `json:"cause"`    // such as Throttled
	Where    string  `json:"where"`    // Client, Machine, or the name of a node
	Coincide int     `json:"coincide"` // with so many
	Pauses   int     `json:"pauses"`   // of the worst pauses
	Expected float64 `json:"expected"` // by chance
	P        float64 `json:"p"`        // the probability of that many or more by chance, corrected for all candidates
}

// The names of causes.
const (
	RunQueue   = "runqueue"        // threads were ready and had no core
	Throttled  = "throttled"       // a CPU quota stopped threads
	Stopped    = "stopped"         // the process stood still, as after SIGSTOP
	CPU        = "cpu-pressure"    // PSI: tasks waited for a core
	IO         = "io-pressure"     // PSI: tasks waited for a disk
	Memory     = "memory-pressure" // PSI: tasks waited for memory
	Disk       = "disk"            // requests took the disk long, or threads waited for it
	PageFaults = "page-faults"     // pages were read from a disk
	Retransmit = "retransmits"     // TCP sent segments again
	Queue      = "socket-queue"    // bytes waited in sockets
	RTT        = "rtt"             // the round trip of TCP took long
	GCClient   = "gc-client"       // this process collected garbage
	GCJVM      = "gc-jvm"          // a JVM collected garbage
	GCErlang   = "gc-erlang"       // an Erlang node collected garbage
	Log        = "log"             // a node wrote more log lines than usual
	Leader     = "leader"          // another node began to lead
	Steal      = "steal"           // the hypervisor ran others
)

// The places of causes that are not nodes.
const (
	Client  = "client"
	Machine = "machine"
)

// A Pause is one of the worst pauses, with the causes that coincide with it.
type Pause struct {
	FromNS  int64 `json:"from_ns"`          // when its first message was due, from the first due of the cell
	ToNS    int64 `json:"to_ns"`            // when its last message was done
	WorstNS int64 `json:"worst_ns"`         // its longest response
	Of      []int `json:"causes,omitempty"` // indices of Causes
}

// A NotKnown is a cause that could not be sampled.
type NotKnown struct {
	Cause  string `json:"cause"`
	Where  string `json:"where"`
	Reason string `json:"reason"`
}

// Samples is the content of causes.json: the worst messages of the window, and the samples of possible causes.
type Samples struct {
	Schema  string         `json:"schema"`  // Schema
	FromNS  int64          `json:"from_ns"` // the window, from the first due of the cell
	ToNS    int64          `json:"to_ns"`
	SlotNS  int64          `json:"slot_ns"` // of the messages that are due in so much time, the worst is kept
	Worst   []WorstMessage `json:"worst"`   // the longest response first; 1,000 at most
	Samples int            `json:"samples"` // how many there are; 60,000 at most
	EndsNS  []int64        `json:"ends_ns"` // the first sample begins at EndsNS[0] and is not counted; then the differences
	Series  []Series       `json:"series"`
	Missing []NotKnown     `json:"unavailable,omitempty"`
}

// A WorstMessage is the message with the longest response of those that were due at about the same time.
type WorstMessage struct {
	DueNS      int64 `json:"due_ns"` // from the first due of the cell
	ResponseNS int64 `json:"response_ns"`
}

// A Series has the samples of one possible cause.
type Series struct {
	Cause string `json:"cause"`
	Where string `json:"where"`
	Kind  string `json:"kind"` // Time, Count or Level
	Unit  string `json:"unit"`
	// Gaps and Value have the samples that are not 0: the number of the first, from 0, then how many samples later the
	// next is. See Put and All.
	Gaps  []int   `json:"gaps"`
	Value []int64 `json:"value"`

	last int // the sample that was put last
}

// Put adds a sample. Samples come in order.
func (s *Series) Put(sample int, value int64) {
	s.Gaps, s.Value, s.last = append(s.Gaps, sample-s.last), append(s.Value, value), sample
}

// All returns the samples that are not 0, with their numbers.
func (s *Series) All() iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		at := 0
		for i, gap := range s.Gaps[:min(len(s.Gaps), len(s.Value))] {
			if at += gap; !yield(at, s.Value[i]) {
				return
			}
		}
	}
}

// The kinds of a [Series].
const (
	Time  = "time"  // the time that something took, in microseconds
	Count = "count" // how often something happened
	Level = "level" // how large something was
)

// Text says how much of the pauses the cause explains, such as "31 of the 40 worst pauses coincide with throttling by
// a CPU quota on node 2; 2.1 expected by chance".
func (c Cause) Text() string {
	return fmt.Sprintf("%d of the %d worst pauses coincide with %s; %.2g expected by chance", c.Coincide, c.Pauses, c.Name(), c.Expected)
}

// Name names the cause and its place, such as "throttling by a CPU quota on node 2".
func (c Cause) Name() string {
	what, ok := names[c.Cause]
	if !ok {
		what = c.Cause
	}
	switch {
	case c.Cause == Leader:
		return what
	case c.Where == Client:
		return what + " in the client"
	case c.Where == Machine:
		return what + " on this machine"
	}
	return what + " on node " + c.Where
}

var names = map[string]string{
	RunQueue: "waits for a core", Throttled: "throttling by a CPU quota", Stopped: "a process that stood still",
	CPU: "CPU pressure", IO: "I/O pressure", Memory: "memory pressure", Disk: "waits for a disk",
	PageFaults: "page faults that read a disk", Retransmit: "TCP retransmits", Queue: "full sockets",
	RTT: "a long TCP round trip", GCClient: "garbage collection", GCJVM: "garbage collection of a JVM",
	GCErlang: "garbage collection of Erlang", Log: "log lines", Leader: "a change of the leader", Steal: "steal by the hypervisor",
}

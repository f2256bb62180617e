// Package wire is the protocol between the coordinator of a run and its agents: the
// subjects, the messages, the file by which an agent joins, and the encoding of results.
//
// An agent reports its state in a beat, twice a second and whenever it changes. The
// coordinator answers each beat, which renews the lease of both. The answer holds the
// agent's orders. They are levels, not edges: the coordinator repeats an order until the
// state of the agent shows that it was followed, and an agent that has followed it does
// nothing. So a lost, late or duplicate message changes nothing.
package wire

import (
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// A State is how far an agent is with a task.
type State string

// The states, in their order. An agent without a task is idle. Failed and Aborted have no
// result. An interrupted task has one, and is Delivered.
const (
	Idle      State = "idle"
	Preparing State = "preparing" // connects, probes, measures its floor
	Prepared  State = "prepared"  // waits for the common start
	Armed     State = "armed"     // knows it, and it is not there yet
	Running   State = "running"   // messages are due
	Done      State = "done"      // all is measured; the result is on its way
	Delivered State = "delivered" // the coordinator has the result
	Aborted   State = "aborted"   // it was told to stop before it began, or its lease ended then
	Failed    State = "failed"    // nothing was measured, such as of a broker that is down
	Ended     State = "ended"     // the last of an agent: it was told that the run is over
)

// A Beat is what an agent reports.
type Beat struct {
	Agent   string `json:"agent"`
	Epoch   string `json:"epoch"` // of its process: another one is another agent by the same name
	Version string `json:"version"`

	Environment results.Environment `json:"environment"`

	Key   string `json:"key"` // of its task; "" if it has none
	State State  `json:"state"`
	Error string `json:"error,omitempty"` // of Failed and Aborted

	Settled bool `json:"settled,omitempty"` // of Running: nothing is sent or awaited any more, and what is broken is to be repaired before the audit

	Leaving bool `json:"leaving,omitempty"` // its user wants it to end: it does once what it measured is delivered, and takes no other task

	Due  int64 `json:"due"`  // messages of its part by now
	Done int64 `json:"done"` // of these, those of the window that are done

	Result *Parcel `json:"result,omitempty"` // of Delivered
}

// A Parcel says what a result is when it is put together.
type Parcel struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal

	FirstDoneNS int64 `json:"first_done_ns"`
	LastDoneNS  int64 `json:"last_done_ns"`
	LateNS      int64 `json:"late_ns"` // how late it began
}

// A Reply answers a beat.
type Reply struct {
	Lease   time.Duration `json:"lease_ns"`          // from when the beat was sent
	Refused string        `json:"refused,omitempty"` // why the agent may not take part; it ends
	Over    bool          `json:"over,omitempty"`    // the run is over; the agent ends
}

// A Kind is what an order wants.
type Kind string

// The kinds.
const (
	Prepare Kind = "prepare" // be Prepared for Task
	Clock   Kind = "clock"   // say what your clock shows
	Start   Kind = "start"   // begin at Start
	Healed  Kind = "healed"  // what was broken is healed: go on, if you are Settled
	Deliver Kind = "deliver" // deliver the result from its first chunk: the coordinator that took some is gone
	Stop    Kind = "stop"    // end what you measure and deliver it, or abort what has not begun
	Forget  Kind = "forget"  // the result is not needed: end the job at once, and be Aborted
	Bye     Kind = "bye"     // the run is over: end
)

// An Order is what an agent is told. It is for the agent's process that has the epoch, and
// for the task that has the key.
type Order struct {
	Kind  Kind          `json:"kind"`
	Epoch string        `json:"epoch"`
	Key   string        `json:"key"`
	Task  *Task         `json:"task,omitempty"`
	Start time.Duration `json:"start_ns,omitempty"` // on the agent's own clock, see Tick
	Echo  *EchoStart    `json:"echo,omitempty"`     // of Start, where agents send back each other's messages
}

// A Task is an agent's part of a cell. Its target's URL may hold a password.
type Task struct {
	Cell plan.Cell     `json:"cell"`
	Part schedule.Part `json:"part"`
	ID   string        `json:"id"`  // of the cell in its run
	Run  string        `json:"run"` // unique to this part of this attempt: in the names of topics and queues
	// Via says where an address of the target is dialled, such as at a relay in front of it.
	Via map[string]string `json:"via,omitempty"`

	Echo *Neighbour `json:"echo,omitempty"` // whose messages it sends back; nil: nobody's
}

// A Neighbour is the part of another agent.
type Neighbour struct {
	Run   string `json:"run"`   // of that part, as in its Task
	Index int    `json:"index"` // of the part
}

// An EchoStart says how the clock of the agent that sends back goes with the receiver's.
type EchoStart struct {
	At    time.Duration `json:"at_ns"`    // what it shows at Start
	Bound time.Duration `json:"bound_ns"` // by how much At may be wrong
}

// A Tick answers Clock: two readings of the agent's own clock, as the order came and as
// the answer left.
type Tick struct {
	Came time.Duration `json:"came_ns"`
	Left time.Duration `json:"left_ns"`
}

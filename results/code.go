package results

// A Code names a kind of problem. It is stable: scripts that read cell.json may
// compare it, while texts may change.
type Code string

// The codes. docs/methodology.md says when a cell has each problem.
const (
	CodeInterrupted   Code = "interrupted"    // the window ended early
	CodeEmpty         Code = "empty"          // no message was due in the window
	CodeEcho          Code = "echo"           // the echo was lost, late or busy
	CodeMissing       Code = "missing"        // messages failed, were lost, or were never sent
	CodeLostAcked     Code = "lost-acked"     // messages that were acknowledged are lost
	CodeBacklog       Code = "backlog"        // messages of a backlog are missing, or the groups were not where they should be
	CodeAudit         Code = "audit"          // the content of the target's store is unknown
	CodeDurability    Code = "durability"     // the target no longer backs the level of durability that it backed before the window
	CodeFault         Code = "fault"          // a fault of the plan was not made, or not healed
	CodeNode          Code = "node"           // a node ended by itself
	CodeFaults        Code = "faults"         // a percentile contains effects of faults
	CodeDrain         Code = "drain"          // a percentile contains the drain of a backlog
	CodeStrays        Code = "strays"         // replies that belong to no message
	CodeEvents        Code = "events"         // a connection was lost, or the broker complained
	CodeClamped       Code = "clamped"        // times were longer than a histogram can hold
	CodeLedger        Code = "ledger"         // messages are not accounted for: a mistake in brokerbench
	CodeRate          Code = "rate"           // fewer messages were done than were due, or the queue kept growing
	CodeSteady        Code = "steady"         // response times rose or fell over the window
	CodeWarmup        Code = "warmup"         // the window began before the target was warm
	CodeLag           Code = "lag"            // the generator sent late
	CodeHeld          Code = "held"           // the target's client held up the sender
	CodeFloor         Code = "floor"          // a TCP echo takes almost as long as the broker
	CodeHiccups       Code = "hiccups"        // the worst responses came while this process was not scheduled
	CodeProcessCPU    Code = "process-cpu"    // this process used nearly all cores
	CodeMachineCPU    Code = "machine-cpu"    // the machine had no core to spare
	CodeSteal         Code = "steal"          // the hypervisor gave cores of this machine to others
	CodeThrottled     Code = "throttled"      // the CPU quota of the cgroup was used up
	CodeClock         Code = "clock"          // the clock is slow or coarse to read
	CodeSharedMachine Code = "shared-machine" // client and broker share this machine
	CodeWindow        Code = "window"         // the window is too short for a percentile of the plan
	CodeSamples       Code = "samples"        // fewer messages came back than a percentile needs
	CodeAgents        Code = "agents"         // an agent was lost, or began late
	CodeRare          Code = "rare"           // the messages above a percentile come from a few events
)

// A NotJudged is a kind of problem that could not be checked, so that the cell may have it.
type NotJudged struct {
	Code   Code   `json:"code"`
	Reason string `json:"reason"`
}

// Problem returns the cell's problem of a kind; ok is false if it has none.
func (c *Cell) Problem(code Code) (p Problem, ok bool) {
	for _, p := range c.Problems {
		if p.Code == code {
			return p, true
		}
	}
	return Problem{}, false
}

// By names the cause that limits a number, such as "this machine".
func (c Code) By() string {
	switch c { //nolint:exhaustive // the others limit nothing
	case CodeHiccups, CodeMachineCPU, CodeSteal, CodeThrottled, CodeClock:
		return "this machine"
	case CodeLag, CodeHeld, CodeProcessCPU:
		return "this tool"
	case CodeEcho:
		return "the echo"
	case CodeFloor:
		return "the floor"
	case CodeWindow, CodeSamples:
		return "too few messages"
	case CodeRare:
		return "few events"
	case CodeRate:
		return "the overload"
	case CodeFaults:
		return "the faults"
	case CodeDrain:
		return "the backlog"
	case CodeMissing:
		return "missing messages"
	}
	return string(c)
}

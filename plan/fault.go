package plan

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Fault is a disturbance of the target while a cell is measured, and its time. Fields that do
// not apply to its kind are zero.
type Fault struct {
	At   time.Duration `json:"at_ns"`          // from the start of the measured window
	Do   FaultKind     `json:"do"`             // what happens
	Node string        `json:"node,omitempty"` // to which node: Leader, AnyFollower, AnyNode, AllNodes, or the name of a node, such as "2"; or to which group of consumers, such as "g0", or member of it, such as "g0m1"
	For  time.Duration `json:"for_ns,omitempty"`

	Restart time.Duration `json:"restart_ns,omitempty"` // after a fault that ends the node: when it starts again, from At; 0: at the end of the cell
	Fresh   bool          `json:"fresh,omitempty"`      // of PowerOff: nothing is synced before the first message, so that the files and topics of the node are at stake like messages

	// Of Slow, each in both directions.
	Delay    time.Duration `json:"delay_ns,omitempty"`
	Jitter   time.Duration `json:"jitter_ns,omitempty"`    // at most, in either direction
	Loss     float64       `json:"loss,omitempty"`         // share of the segments that are lost and sent again, 0 to 1
	Throttle int64         `json:"throttle_b_s,omitempty"` // bytes per second; 0: no limit
	Command  []string      `json:"command,omitempty"`      // of Run: the program and its arguments
	Seed     uint64        `json:"seed,omitempty"`         // for the choice of a node and for Slow; the seed of the cell
}

// A FaultKind is the kind of a fault, such as kill.
type FaultKind string

// The kinds of faults.
const (
	Kill          FaultKind = "kill"        // SIGKILL: the process crashes, its written data stays in the page cache
	Stop          FaultKind = "stop"        // an orderly shutdown
	Wipe          FaultKind = "wipe"        // as Kill, and all its data is removed: its disk is gone
	PowerOff      FaultKind = "power-off"   // as Kill, and what the device of its data does not have is lost too
	Pause         FaultKind = "pause"       // SIGSTOP for a while
	Cut           FaultKind = "cut"         // no bytes go to the node or come from it for a while
	HalfOpen      FaultKind = "half-open"   // bytes from clients arrive, those from the node do not, for a while
	Slow          FaultKind = "slow"        // the network to and from the node has a delay, a loss or a limit for a while
	FillDisk      FaultKind = "fill-disk"   // no space is left in the data folder of the node for a while
	Join          FaultKind = "join"        // a member of a group of consumers comes, or all do; before, it is not there
	Leave         FaultKind = "leave"       // a member of a group of consumers ends in good order, or all do
	Run           FaultKind = "run"         // a command of the user
	ConsumerPause FaultKind = "fall-behind" // the consumers read nothing for a while; written pause: consumers
)

// Values of Fault.Node other than the name of a node.
const (
	Leader      = "leader"       // the node that leads the queue, topic or stream of connection 0
	AnyFollower = "any-follower" // one that does not lead, drawn by the seed
	AnyNode     = "any"          // one, drawn by the seed
	AllNodes    = "all"
	Consumers   = "consumers" // those of brokerbench
)

// FaultKinds returns the kinds that a plan can name with do, in the order of the documentation.
func FaultKinds() []FaultKind {
	return []FaultKind{Kill, Stop, Wipe, PowerOff, Pause, Cut, HalfOpen, Slow, FillDisk, Join, Leave}
}

// EndsNode reports whether the fault ends the node, which is started again afterwards.
func (f Fault) EndsNode() bool {
	return slices.Contains([]FaultKind{Kill, Stop, Wipe, PowerOff}, f.Do) && !f.OfMember()
}

// members are the names of groups and their members: g0 is group 0, and g0m1 its member 1.
var members = regexp.MustCompile(`^g(0|[1-9][0-9]{0,4})(?:m(0|[1-9][0-9]{0,4}))?$`)

// OfMember reports whether a member of a group of consumers, or all of them, join, leave or are killed.
func (f Fault) OfMember() bool {
	return (f.Do == Join || f.Do == Leave || f.Do == Kill) && members.MatchString(f.Node)
}

// Members returns the group of a fault for which OfMember holds, and the numbers of the members to which it happens when
// the group has so many. All count from 0.
func (f Fault) Members(of int) (group int, numbers []int) {
	name := members.FindStringSubmatch(f.Node)
	group, _ = strconv.Atoi(name[1])
	if name[2] != "" {
		number, _ := strconv.Atoi(name[2])
		return group, []int{number}
	}
	for number := range of {
		numbers = append(numbers, number)
	}
	return group, numbers
}

// OfConsumers reports whether the fault happens to consumers of brokerbench, and to no node.
func (f Fault) OfConsumers() bool { return f.Do == ConsumerPause || f.OfMember() }

// Network reports whether the fault disturbs the network in front of a node, and not the node.
func (f Fault) Network() bool { return f.Do == Cut || f.Do == HalfOpen || f.Do == Slow }

// Ends returns when the fault ends by itself while the cell is measured, counted like At. A
// fault that does not is repaired at the end of the cell, if possible: ok is false then.
func (f Fault) Ends() (at time.Duration, ok bool) {
	return f.At + f.For + f.Restart, f.For+f.Restart > 0
}

// String returns the fault in a few words, such as "kill leader at 10s".
func (f Fault) String() string {
	words := []string{string(f.Do), f.Node}
	if f.Do == Run {
		words = append(words[:1], f.Command...)
	}
	if f.Do == ConsumerPause {
		words = []string{"pause", Consumers}
	}
	return strings.Join(append(words, "at", f.At.String()), " ")
}

// fields returns the fields of faults of that kind, other than At, by their names in a plan file.
func (b FaultKind) fields() []string {
	switch b {
	case Kill, Stop, Wipe:
		return []string{"node", "restart"}
	case PowerOff:
		return []string{"node", "restart", "fresh"}
	case Pause, Cut, HalfOpen, FillDisk, ConsumerPause:
		return []string{"node", "for"}
	case Slow:
		return []string{"node", "for", "delay", "jitter", "loss", "throttle"}
	case Run:
		return []string{"run"}
	case Join, Leave:
		return []string{"node"}
	}
	return nil
}

// Validate returns every mistake in the fault at once. window is how long the cell is measured.
func (f Fault) Validate(window time.Duration) error {
	has := f.Do.fields()
	if has == nil {
		return fmt.Errorf("do %q: want one of %v", f.Do, FaultKinds())
	}
	errs := []error{
		wrong(f.At < 0, "at %v is negative", f.At),
		wrong(f.At >= window, "at %v is not before the end of the window, which is %v long", f.At, window),
		wrong(f.Node == "" && slices.Contains(has, "node"), "a node is missing: %s, %s, %s, %s, or the name of one", Leader, AnyFollower, AnyNode, AllNodes),
		wrong(f.Do == Run && len(f.Command) == 0, "run is empty: want a program and its arguments"),
		wrong((f.Do == Join || f.Do == Leave) && f.Node != "" && !f.OfMember(), "node %q cannot %s: want a group of consumers, such as g0, or a member of it, such as g0m1, both counted from 0", f.Node, f.Do),
		wrong(f.OfMember() && f.Restart != 0, "%s has no restart: it comes again with do: join", f.Node),
		wrong(f.Do == ConsumerPause && f.Node != Consumers, "node %q falls behind: want %s", f.Node, Consumers),
		wrong(f.Do != ConsumerPause && f.Node == Consumers, "%s can only be paused", Consumers),
		wrong(f.Do == ConsumerPause && f.For == 0, "for is missing: how long the consumers read nothing"),
		f.validateSlow(),
	}
	for _, field := range f.fields() {
		errs = append(errs, wrong(field.set && !slices.Contains(has, field.name), "%s has no %s", f.Do, field.name),
			wrong(field.below, "%s is negative", field.name))
	}
	return errors.Join(errs...)
}

// validateSlow checks the fields of Slow.
func (f Fault) validateSlow() error {
	if f.Do != Slow {
		return nil
	}
	return errors.Join(
		wrong(f.Delay == 0 && f.Loss == 0 && f.Throttle == 0, "slow needs a delay, a loss or a throttle"),
		wrong(f.Delay >= 0 && f.Jitter > f.Delay, "jitter %v is above the delay, %v", f.Jitter, f.Delay),
		wrong(f.Loss < 0 || f.Loss >= 1, "loss %v%% is not between 0 and 100%%", 100*f.Loss),
	)
}

// A field is one that only some kinds of faults have.
type field struct {
	name       string // in a plan file
	set, below bool   // not zero; below zero
}

func (f Fault) fields() []field {
	return []field{
		{"node", f.Node != "", false},
		{"for", f.For != 0, f.For < 0},
		{"restart", f.Restart != 0, f.Restart < 0},
		{"fresh", f.Fresh, false},
		{"delay", f.Delay != 0, f.Delay < 0},
		{"jitter", f.Jitter != 0, f.Jitter < 0},
		{"loss", f.Loss != 0, false},
		{"throttle", f.Throttle != 0, f.Throttle < 0},
		{"run", len(f.Command) > 0, false},
	}
}

// Settling is how long a cell waits before its first message if a fault of it settles: servers write what they have in
// buffers. Mnesia, where RabbitMQ keeps its queues, writes 2 s late (docs/findings/new-queues.md).
const Settling = 3 * time.Second

// Settles reports whether what nodes wrote before the first message reaches their devices before the fault.
func (f Fault) Settles() bool { return f.Do == PowerOff && !f.Fresh }

// Concerns reports whether the fault may be for a node.
func (f Fault) Concerns(n Node) bool {
	return f.Node == n.Name || slices.Contains([]string{Leader, AnyFollower, AnyNode, AllNodes}, f.Node)
}

// CheckFault returns why a fault cannot happen to the nodes of the system; nil if no reason is
// known beforehand.
func (s System) CheckFault(f Fault) error {
	if f.Do == Run || f.OfConsumers() {
		return nil
	}
	if f.Node == AnyFollower && len(s.Nodes) == 1 {
		return errors.New("the only node has no follower")
	}
	var names []string
	for _, n := range s.Nodes {
		names = append(names, n.Name)
		if slices.Contains([]FaultKind{FillDisk, Wipe, PowerOff}, f.Do) && n.Data == "" && f.Concerns(n) {
			return fmt.Errorf("where node %s keeps its data is not known: give it data, a folder", n.Name)
		}
	}
	if !slices.ContainsFunc(s.Nodes, f.Concerns) {
		return fmt.Errorf("there is no node %q: want %s, %s, %s, %s, or one of %s", f.Node, Leader, AnyFollower, AnyNode, AllNodes, strings.Join(names, ", "))
	}
	return nil
}

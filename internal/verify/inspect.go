package verify

import (
	"fmt"
	"slices"
	"time"
)

const (
	// grain is how far two readings of one clock may be out of order: two cores of a
	// virtual machine.
	grain = time.Microsecond
	// apart is how far the clocks of two processes may be, after the distance between
	// them was taken out.
	apart = 100 * time.Microsecond
	// closely is how far the engine's readings of the clock are from the station's, which
	// are a few instructions away, for half of the messages or more.
	closely = 50 * time.Microsecond
)

// inspect makes the rows that hold for every message. No noise can break them: they
// only say in which order things happen, and what the plan says.
func (r *run) inspect() []Row {
	rows := []Row{
		r.every("on schedule", onSchedule).and(r.strange, "records belong to no message, or to one twice"),
		r.every("sent in time", r.sentInTime).and(r.again, "messages were sent once more, or belong to no schedule"),
		r.every("held and lag", heldInTime),
		r.every("done in time", doneInTime),
	}
	if r.system != nil {
		rows = append(rows, r.every("on the way", onTheWay), r.every("as configured", r.asConfigured))
	}
	return append(rows,
		closeness("sent to asked", r.messages, func(m *message) time.Duration { return m.asked - m.op.Sent }),
		closeness("handed to done", r.messages, func(m *message) time.Duration { return m.op.Done - m.handed }))
}

// every makes a row of how many messages have a complaint; where is the first.
func (r *run) every(name string, complaint func(*message) string) Row {
	var n int64
	var first string
	for i := range r.messages {
		m := &r.messages[i]
		if what := complaint(m); what != "" {
			if n++; n == 1 {
				first = fmt.Sprintf("%v: %s", m, what)
			}
		}
	}
	row := count(name, 0, 0, n)
	row.Where = first
	return row
}

// and adds n complaints of another kind to a row.
func (r Row) and(n int64, what string) Row {
	if n == 0 {
		return r
	}
	row := count(r.Name, 0, 0, *r.Measured+n)
	if row.Where = r.Where; row.Where == "" {
		row.Where = fmt.Sprintf("%d %s", n, what)
	}
	return row
}

// onSchedule compares the engine's due with the plan's.
func onSchedule(m *message) string {
	if m.op != nil && m.op.Due != m.due {
		return fmt.Sprintf("the client counts from %v, %v after it was due", m.op.Due, m.op.Due-m.due)
	}
	return ""
}

// sentInTime: nothing is sent before it may be, in order, and Sent is before the
// request is made.
func (r *run) sentInTime(m *message) string {
	switch {
	case m.asked == 0 && m.op != nil:
		return "it is done and was never sent"
	case m.asked == 0:
		return ""
	case m.before != nil && (m.before.asked == 0 || m.asked < m.before.asked-grain):
		return "it was sent before the one before it"
	case m.asked < m.earliest-grain:
		return fmt.Sprintf("it was sent at %v, %v before it could be", m.asked, m.earliest-m.asked)
	case m.op == nil:
		return ""
	case m.op.Sent < m.earliest-grain:
		return fmt.Sprintf("the client says it sent at %v, %v before it could", m.op.Sent, m.earliest-m.op.Sent)
	case m.op.Sent > m.asked+grain:
		return fmt.Sprintf("the client says it sent at %v, %v after it did", m.op.Sent, m.op.Sent-m.asked)
	case m.op.Queued && r.wasFree(m):
		return "it counts as queued, though its connection was free when it was due"
	}
	return ""
}

// heldInTime: the calls of Request before a message held it up for as long as they
// took, and for no longer than until it was sent. One that was queued was not held up.
func heldInTime(m *message) string {
	switch {
	case m.op == nil:
		return ""
	case m.op.Queued && m.op.Held != 0:
		return fmt.Sprintf("it was queued, and the client says that calls held it up for %v", m.op.Held)
	case !m.op.Queued && m.op.Held < m.held-grain:
		return fmt.Sprintf("calls held it up for %v, the client says %v", m.held, m.op.Held)
	case m.op.Held > max(m.op.Sent-m.op.Due, 0):
		return fmt.Sprintf("the client says that calls held it up for %v, and sent it %v after it was due", m.op.Held, m.op.Sent-m.op.Due)
	}
	return ""
}

// wasFree tells whether the connection was surely free when a message was due. The
// one before must have been sent by the sender itself: a goroutine that sends from
// the queue says a moment later that it has ended.
func (r *run) wasFree(m *message) bool {
	b := m.before
	if b == nil {
		return true
	}
	return b.answered > 0 && b.answered <= m.due && b.op != nil && !b.op.Queued && r.hadSlot(m, m.due)
}

// hadSlot tells whether the messages before m on its connection surely left it a slot at a
// time. With one in flight the one before was sent after all the others had ended.
func (r *run) hadSlot(m *message, at time.Duration) bool {
	switch limit := r.cell.Shape.InFlight; {
	case limit == 0 || m.seq < limit:
		return true
	case limit == 1:
		return m.before.returned > 0 && m.before.returned <= at
	default:
		return r.messages[(m.seq-limit)*r.cell.Shape.Connections+m.conn].cleared <= at
	}
}

// doneInTime: Done is read between the moments at which the reply is handed over
// and the engine returns.
func doneInTime(m *message) string {
	switch {
	case m.op == nil:
		return ""
	case m.handed == 0:
		return "it is done and had no reply"
	case m.op.Done < m.handed-grain:
		return fmt.Sprintf("the client says it was done at %v, %v before its reply came", m.op.Done, m.handed-m.op.Done)
	case m.returned > 0 && m.op.Done > m.returned+grain:
		return fmt.Sprintf("the client says it was done at %v, %v after it had taken the reply", m.op.Done, m.op.Done-m.returned)
	}
	return ""
}

// onTheWay compares the station with the system: nothing comes before it was sent.
func onTheWay(m *message) string {
	switch {
	case m.came > 0 && (m.asked == 0 || m.came < m.asked-apart):
		return fmt.Sprintf("it came at %v and was sent at %v", m.came, m.asked)
	case m.handed > 0 && (m.came == 0 || m.left == 0):
		return "it has a reply that the system did not send"
	case m.handed > 0 && m.handed < m.left-apart:
		return fmt.Sprintf("its reply came back at %v and left at %v", m.handed, m.left)
	}
	return ""
}

// asConfigured compares the system with its definition: it may be late, not early.
func (r *run) asConfigured(m *message) string {
	switch {
	case m.left == 0:
		return ""
	case r.system.Drops(m.seq):
		return "the system answered, though it drops this one"
	case m.left-r.began < r.system.ReplyAt(m.came-r.began)-grain:
		return fmt.Sprintf("the system answered at %v, before it should", m.left)
	}
	return ""
}

// closeness makes a row of the median of a time that is a few instructions long.
func closeness(name string, messages []message, of func(*message) time.Duration) Row {
	var times []time.Duration
	for i := range messages {
		if m := &messages[i]; m.op != nil {
			times = append(times, of(m))
		}
	}
	row := Row{Name: name, Unit: "ns", From: new(int64(0)), To: new(int64(closely)), Measured: new(int64(0))}
	if len(times) > 0 {
		slices.Sort(times)
		row.Measured = new(int64(times[len(times)/2]))
	}
	return row.judged(int64(grain))
}

package impact

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// p99 is back at what it was, in the usual block before the fault, once no more than a hundredth of the messages take longer than
// recoveredTimes that p99, and a millisecond more than it at least: of all that
// are due from then on, and of those of the first recoveredFor. Of fewer messages than
// leastForP99 there is no p99.
const (
	recoveredTimes = 2
	recoveredLeast = time.Millisecond
	recoveredFor   = time.Second
	leastForP99    = 100
)

// back returns how long after a fault p99 was back at a value, in nanoseconds; nil: not before the next
// fault or the end. It is not back before deliveries are.
func (c *counter) back(i int, due []int64, p99 int64) *int64 {
	a := c.after[i]
	first, last := c.slots.index(a.began), c.slots.index(c.end)+1
	if a.next != endless {
		last = c.slots.index(a.to) // what is due later may have been on its way at the next fault
	}
	slot, ok := recovered(c.slots.over(due, first, last, limit(p99)), int(recoveredFor/c.slots.width))
	if !ok {
		return nil
	}
	took := int64(max(c.slots.width*time.Duration(first+slot)-a.began, 0))
	if c.deliveries != nil && c.deliveries[i].whole.shown() {
		took = max(took, int64(c.deliveries[i].whole.To-a.began))
	}
	return &took
}

// dues returns how many messages of all connections are due by when.
func (r *recorder) dues() record.Dues {
	return record.NewDues(load.Config{Schedule: r.cell.Schedule(), Connections: r.connections})
}

// due returns how many messages were due in each slot, until the end.
func (s *slots) due(d record.Dues, end time.Duration) []int64 {
	list, before := make([]int64, len(s.List)), int64(0)
	for i := range list {
		now := d.Until(min(s.width*time.Duration(i+1), end))
		list[i], before = now-before, now
	}
	return list
}

// An overdue is how many messages were due in a slot, and how many of them took too long, or
// never came.
type overdue struct{ due, over int64 }

// over counts the messages beyond a limit in the slots from first until last.
func (s *slots) over(due []int64, first, last int, limit time.Duration) (list []overdue) {
	for i := first; i < last; i++ {
		within := int64(0)
		for step := range slotStep(limit) + 1 {
			within += int64(s.List[i].Responses[step])
		}
		list = append(list, overdue{due[i], max(due[i]-within, 0)})
	}
	return list
}

// recovered returns the first slot from which on p99 is back, by the rest and by the slots of
// the first second.
func recovered(list []overdue, second int) (slot int, ok bool) {
	var rest, soon overdue
	second = max(second, 1)
	for i := len(list) - 1; i >= 0; i-- {
		rest.add(list[i], 1)
		soon.add(list[i], 1)
		if i+second < len(list) {
			soon.add(list[i+second], -1)
		}
		if rest.due >= leastForP99 && rest.few() && soon.few() {
			slot, ok = i, true
		}
	}
	return slot, ok
}

func (o *overdue) add(other overdue, times int64) {
	o.due += times * other.due
	o.over += times * other.over
}

// few tells whether no more than a hundredth is over the limit.
func (o overdue) few() bool { return 100*o.over <= o.due }

// catchUps writes how consumers caught up after they were paused.
func (r *recorder) catchUps(faults []results.Fault) {
	paused := 0
	for i := range faults {
		f := &faults[i]
		if f.Plan.Do != plan.ConsumerPause {
			continue
		}
		p := r.pauses[paused]
		if resumed := p.Resumed; f.Done() && resumed > 0 {
			f.CatchUp = r.catchUp(p, time.Duration(f.BeganNS), time.Duration(resumed))
		}
		paused++
	}
}

func (r *recorder) catchUp(f *consumerPause, began, resumed time.Duration) *results.CatchUp {
	c := &results.CatchUp{
		Undelivered: r.undelivered(began, resumed), Queued: f.Queued, Age: r.slots.times(began, resumed),
	}
	c.Behind = f.Late + c.Undelivered
	if drained := time.Duration(f.Drained); drained > 0 {
		c.DrainedNS = new(int64(drained - resumed))
		c.Live = r.slots.times(resumed, drained)
	}
	return c
}

// undelivered counts the messages due from one offset to another that neither came nor failed.
func (r *recorder) undelivered(from, to time.Duration) (n int64) {
	for conn := range r.deliveries.Each {
		due := dueBy(r.cell.Schedule(), schedule.Part{}.Split(conn, r.connections), []time.Duration{from, to})
		n += int64(due[to]-due[from]) - r.done.Between(conn, due[from], due[to]) - r.failed.Between(conn, due[from], due[to])
	}
	return n
}

package impact

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/results"
)

// Slots are at least leastSlot long, and there are mostSlots at most: 4 MB, however long a run is.
const (
	leastSlot = 50 * time.Millisecond
	mostSlots = 1 << 12
	// slotSteps is how many steps of responses a slot tells apart: all from a microsecond to
	// an hour. Shorter ones are in the first.
	slotSteps = 256
)

// firstStep is the step of a microsecond.
var firstStep = record.StepOf(time.Microsecond) //nolint:gochecknoglobals // a constant that the compiler cannot compute

// slots count the messages of each short part of the schedule by their response, and when
// things went wrong.
type slots struct {
	width time.Duration
	List  []slot
}

type slot struct {
	Worst      int64             // the longest response of the messages due in it that are done
	Responses  [slotSteps]uint32 // of these
	Duplicates uint32            // that came in it
	Disordered uint32            // that came in it
}

func newSlots(schedule time.Duration) *slots {
	width := max(leastSlot, (schedule+mostSlots-1)/mostSlots)
	return &slots{width, make([]slot, schedule/width+1)}
}

// at returns the slot of an offset. Offsets after the schedule are in the last one.
func (s *slots) at(offset time.Duration) *slot { return &s.List[s.index(offset)] }

func (s *slots) index(offset time.Duration) int {
	return min(int(max(offset, 0)/s.width), len(s.List)-1)
}

// done counts a message that is done.
func (s *slots) done(due, response time.Duration) {
	at := s.at(due)
	atomic.AddUint32(&at.Responses[slotStep(response)], 1)
	raise(&at.Worst, int64(response))
}

func slotStep(response time.Duration) int {
	return min(max(record.StepOf(response)-firstStep, 0), slotSteps-1)
}

// times sums up the messages that were due from one offset to another, in whole slots; nil if
// none of them is done.
func (s *slots) times(from, to time.Duration) *results.Times {
	var all tally
	list := s.between(from, to)
	for i := range list {
		all.add(&list[i])
	}
	if all.count == 0 {
		return nil
	}
	return &results.Times{Count: all.count, P50NS: all.quantile(50), P99NS: all.quantile(99), MaxNS: all.worst}
}

// between returns the slots from one offset to another: the one that holds from, and those
// after it that begin before to.
func (s *slots) between(from, to time.Duration) []slot {
	if to <= from {
		return nil
	}
	return s.List[s.index(from) : s.index(to-1)+1]
}

// A tally sums up the messages of slots that are done.
type tally struct {
	count, worst int64
	responses    [slotSteps]int64
}

func (t *tally) add(s *slot) {
	for step, n := range s.Responses {
		t.count += int64(n)
		t.responses[step] += int64(n)
	}
	t.worst = max(t.worst, s.Worst)
}

func (s *slots) worst(from, to time.Duration) (worst time.Duration) {
	list := s.between(from, to)
	for i := range list {
		worst = max(worst, time.Duration(list[i].Worst))
	}
	return worst
}

// quantile returns the end of the step in which a percentile is, in nanoseconds, or the longest response if
// that is shorter.
func (t *tally) quantile(percentile float64) int64 {
	rank := int64(math.Ceil(percentile / 100 * float64(t.count)))
	for step, n := range t.responses {
		if rank -= n; rank <= 0 {
			return min(record.LeastIn(step+firstStep+1), t.worst)
		}
	}
	return 0
}

package impact

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// leastBlocks is how many blocks must come before a fault for their median to say what is usual. Of fewer
// the lowest p99 does.
const leastBlocks = 5

// A base is p99 before a fault.
type base struct {
	usual  int64 // of the usual block, in nanoseconds
	all    int64 // of all messages
	blocks int   // how many there are
}

// limit returns how long messages may take when p99 is back at a value.
func limit(p99 int64) time.Duration {
	return max(recoveredTimes*time.Duration(p99), time.Duration(p99)+recoveredLeast)
}

// disturbed tells whether p99 of all messages is not what p99 must be back at: more than a hundredth of them
// were slow, but in few blocks.
func (b base) disturbed() bool { return time.Duration(b.all) > limit(b.usual) }

// before returns p99 of the messages due from one offset to another, and of how many blocks; nil if they
// are too few.
func (s *slots) before(from, to time.Duration) *base {
	all := s.times(from, to)
	if all == nil || all.Count < leastForP99 {
		return nil
	}
	blocks := s.blocks(from, to)
	slices.Sort(blocks)
	b := base{usual: all.P99NS, all: all.P99NS, blocks: len(blocks)}
	switch {
	case b.blocks >= leastBlocks:
		b.usual = blocks[b.blocks/2]
	case b.blocks > 0:
		b.usual = blocks[0]
	}
	return &b
}

// blocks returns p99 of each block of messages due from one offset to another: of a second, or of as much
// as it takes for leastForP99 messages.
func (s *slots) blocks(from, to time.Duration) (p99s []int64) {
	var block tally
	begun, list := 0, s.between(from, to)
	for i := range list {
		block.add(&list[i])
		if block.count >= leastForP99 && s.width*time.Duration(i+1-begun) >= recoveredFor {
			p99s = append(p99s, block.quantile(99))
			block, begun = tally{}, i+1
		}
	}
	return p99s
}

// recoveries finds p99 before each fault, and when p99 was back at it. The base of a fault is the time since
// p99 was back after the fault before, unless p99 was not back or that is too short to know: then the base of
// the fault before is that of this one, too.
func (c *counter) recoveries() {
	due := c.slots.due(c.dues(), c.end+1)
	from := c.cell.Settings.Warmup
	var b *base
	for i, a := range c.after {
		if later := c.slots.before(from, a.from); b == nil || later != nil && later.blocks >= leastBlocks {
			b = later
		}
		from = endless // unless p99 is back
		if b == nil {
			continue
		}
		h := a.fault.Impact
		h.BaseP99NS, h.RecoveredNS = new(b.usual), c.back(i, due, b.usual)
		if h.RecoveredNS != nil {
			from = max(a.began+time.Duration(*h.RecoveredNS), healed(a.fault))
		}
		if b.disturbed() {
			h.Disturbed = &results.Disturbed{P99NS: b.all, RecoveredNS: c.back(i, due, b.all)}
		}
	}
}

// healed returns when a fault was healed; never is endless.
func healed(f *results.Fault) time.Duration {
	if f.HealedNS == nil {
		return endless
	}
	return time.Duration(*f.HealedNS)
}

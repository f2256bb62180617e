package deliveries

import (
	"fmt"
	"time"
)

// A Partition is what came from one partition of each topic.
type Partition struct {
	Number   int    `json:"partition"`           // counted from 0
	AndAbove bool   `json:"and_above,omitempty"` // this one has what came from all partitions above, too
	Messages int64  `json:"messages"`            // deliveries of the window, to each group
	P50NS    *int64 `json:"p50_ns"`              // from due until the delivery
	P99NS    *int64 `json:"p99_ns"`
	MaxNS    int64  `json:"max_ns"`
}

// Extremes describes the partitions with the most and the fewest messages; "" if there are none.
func Extremes(list []Partition) string {
	if len(list) == 0 {
		return ""
	}
	hot, cold, sum, of := list[0], list[0], int64(0), fmt.Sprintf("%d partitions", len(list))
	for _, p := range list {
		sum += p.Messages
		if p.AndAbove {
			of = fmt.Sprintf("the first %d partitions", p.Number)
			continue
		}
		if p.Messages > hot.Messages {
			hot = p
		}
		if p.Messages < cold.Messages {
			cold = p
		}
	}
	return fmt.Sprintf("the hottest of %s is %s, the coldest %s", of, hot.text(sum), cold.text(sum))
}

// text describes a partition among so many messages.
func (p Partition) text(sum int64) string {
	text := fmt.Sprintf("%d with %d messages (%.1f %%)", p.Number, p.Messages, 100*float64(p.Messages)/float64(max(sum, 1)))
	if p.P99NS != nil {
		text += fmt.Sprintf(", p99 %.3g ms", float64(*p.P99NS)/float64(time.Millisecond))
	}
	return text
}

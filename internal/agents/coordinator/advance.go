package coordinator

import (
	"maps"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// countEvery is the time between two looks at what agents have delivered so far.
const countEvery = 5 * time.Second

// count has the chunks counted that are in the stream by now, while an agent delivers.
func (c *Coordinator) count(t *trial) {
	now, delivers := c.now(), false
	for _, s := range c.roster.all() {
		delivers = delivers || s.last.Key == t.key && s.last.State == wire.Done
	}
	if !delivers || t.counting || now < t.count {
		return
	}
	t.counting, t.count = true, now+countEvery
	go func() {
		stored := make(map[string]uint64)
		for _, s := range t.seats {
			subject := strings.TrimSuffix(c.subjects.Results(s.name), ">") + t.key + ".>"
			if info, err := c.stream.Info(t.reading, jetstream.WithSubjectFilter(subject)); err == nil {
				stored[s.name] = uint64(len(info.State.Subjects))
			}
		}
		t.counted <- stored
	}()
}

// advance takes what was counted.
func (t *trial) advance(now time.Duration, stored map[string]uint64) {
	t.counting = false
	for name, n := range stored {
		if n > t.chunks[name] {
			t.state.Advance(now, name)
		}
	}
	maps.Copy(t.chunks, stored)
}

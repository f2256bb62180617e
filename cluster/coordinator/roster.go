package coordinator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/cluster/wire"
)

// A roster is who of the agents is there, by what each reported last.
type roster struct {
	version string
	lease   time.Duration
	began   time.Time // of the coordinator's clock
	say     func(string)

	mu      sync.Mutex
	seats   []*seat
	playing bool // an attempt is under way: nobody joins
	over    bool
}

// A seat is one agent's, whichever process has it.
type seat struct {
	name  string
	epoch string // of the process that has it; "" if nobody does
	last  wire.Beat
	done  wire.Beat // the last that had a result
	heard time.Duration
	joins int // how many processes have had it
}

func newRoster(names []string, version string, lease time.Duration, began time.Time, say func(string)) *roster {
	r := &roster{version: version, lease: lease, began: began, say: say}
	for _, name := range names {
		r.seats = append(r.seats, &seat{name: name})
	}
	return r
}

// beat takes a report and answers it.
func (r *roster) beat(m *nats.Msg) {
	var b wire.Beat
	if json.Unmarshal(m.Data, &b) != nil || !strings.HasSuffix(m.Subject, "."+b.Agent) {
		return
	}
	text, _ := json.Marshal(r.answer(b, time.Since(r.began)))
	_ = m.Respond(text)
}

func (r *roster) answer(b wire.Beat, now time.Duration) wire.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return wire.Reply{Over: true}
	}
	s := r.seat(b.Agent)
	switch {
	case s == nil:
		return wire.Reply{Refused: fmt.Sprintf("the run has no agent %s", b.Agent)}
	case b.Version != r.version:
		return wire.Reply{Refused: fmt.Sprintf("this is brokerbench %s, and the coordinator %s", b.Version, r.version)}
	case s.epoch != b.Epoch && s.epoch != "" && now-s.heard < r.lease:
		return wire.Reply{Refused: fmt.Sprintf("another process is agent %s", b.Agent)}
	case s.epoch != b.Epoch && r.playing:
		return wire.Reply{Lease: r.lease} // it has to wait: nobody joins a cell that has begun
	case s.epoch != b.Epoch:
		r.join(s, b)
	}
	s.last, s.heard = b, now
	if b.Result != nil {
		s.done = b
	}
	return wire.Reply{Lease: r.lease}
}

// join gives a seat to a process. A replacement is said.
func (r *roster) join(s *seat, b wire.Beat) {
	s.epoch = b.Epoch
	if s.joins++; s.joins > 1 {
		r.say(fmt.Sprintf("agent %s was replaced by another process, on %s", s.name, b.Environment.Host))
	}
}

// leave empties a seat whose process has ended.
func (r *roster) leave(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.seat(name); s != nil {
		s.epoch = ""
	}
}

func (r *roster) seat(name string) *seat {
	i := slices.IndexFunc(r.seats, func(s *seat) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return r.seats[i]
}

// missing returns the names of the agents that are not there.
func (r *roster) missing(now time.Duration) (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.seats {
		if s.epoch == "" || now-s.heard > r.lease {
			names = append(names, s.name)
		}
	}
	return names
}

// all returns what is known of each agent.
func (r *roster) all() (list []seat) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.seats {
		list = append(list, *s)
	}
	return list
}

// play says whether an attempt is under way.
func (r *roster) play(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.playing = on
}

// end answers from now on that the run is over.
func (r *roster) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

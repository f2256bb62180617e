package coordinator

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A roster is who of the agents is there, by what each reported last.
type roster struct {
	subjects wire.Subjects
	version  string
	lease    time.Duration
	began    time.Time // of the coordinator's clock
	say      func(string)

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
	next  newcomer

	refused time.Duration // when the user was told that a process may not have it; 0: never
}

// A newcomer is a process that wants a seat that another one has. It waits: the other may have
// died, or they may be twins.
type newcomer struct {
	epoch string
	since time.Duration
}

func newRoster(cfg Config, began time.Time) *roster {
	r := &roster{subjects: wire.Subjects{Run: cfg.Run}, version: cfg.Version, lease: cfg.Lease, began: began, say: cfg.Say}
	for _, name := range cfg.Agents {
		r.seats = append(r.seats, &seat{name: name})
	}
	return r
}

// beat takes a report and answers it.
func (r *roster) beat(m *nats.Msg) {
	var b wire.Beat
	if json.Unmarshal(m.Data, &b) != nil || m.Subject != r.subjects.Beat(b.Agent) || !r.subjects.Answers(b.Agent, m.Reply) {
		return
	}
	text, _ := json.Marshal(r.answer(b, time.Since(r.began)))
	_ = m.Respond(text)
}

func (r *roster) answer(b wire.Beat, now time.Duration) wire.Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.seat(b.Agent)
	switch {
	case s == nil:
		return wire.Reply{Refused: fmt.Sprintf("the run has no agent %s", b.Agent)}
	case r.over:
		if s.epoch == b.Epoch {
			s.last = b
		}
		return wire.Reply{Over: true}
	case b.Version != r.version:
		return r.refuse(s, b, now, fmt.Sprintf("this is brokerbench %s, and the coordinator %s", b.Version, r.version))
	case s.epoch != b.Epoch && r.wait(s, b, now):
		if s.twin(b.Epoch) {
			return r.refuse(s, b, now, fmt.Sprintf("another process is agent %s", b.Agent))
		}
		return wire.Reply{Lease: r.lease}
	case s.epoch != b.Epoch:
		r.join(s, b)
	}
	s.last, s.heard = b, now
	if b.Result != nil {
		s.done = b
	}
	if parted(b) {
		s.epoch = ""
	}
	return wire.Reply{Lease: r.lease}
}

// refuse refuses a process, and tells the user, not too often.
func (r *roster) refuse(s *seat, b wire.Beat, now time.Duration, why string) wire.Reply {
	if s.refused == 0 || now-s.refused > r.lease {
		s.refused = now
		r.say(fmt.Sprintf("agent %s on %s is refused: %s", b.Agent, b.Environment.Host, why))
	}
	return wire.Reply{Refused: why}
}

// wait reports whether a process without a seat has to wait for it. A process cannot join a cell
// that has begun, or take the seat of an agent whose lease has not expired. A process that is
// leaving does not join.
func (r *roster) wait(s *seat, b wire.Beat, now time.Duration) bool {
	if s.epoch != "" && s.next.epoch != b.Epoch {
		s.next = newcomer{b.Epoch, now}
	}
	return r.playing || b.Leaving || s.epoch != "" && now-s.heard < r.lease
}

// twin tells whether the process that has a seat was heard of after another one came for it, so
// that both live. One that leaves makes way.
func (s *seat) twin(epoch string) bool {
	return s.epoch != "" && !s.last.Leaving && s.next.epoch == epoch && s.heard > s.next.since
}

// parted tells whether this is all that comes of an agent that leaves.
func parted(b wire.Beat) bool {
	return b.State == wire.Ended || b.Leaving && b.State != wire.Running && b.State != wire.Done
}

// join gives a seat to a process, and reports a replacement to the user.
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

// missing returns the names of the agents that are not there, or leave.
func (r *roster) missing(now time.Duration) (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.seats {
		if s.epoch == "" || s.last.Leaving || now-s.heard > r.lease {
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

// unheard returns the seats of the agents that are not known to have ended.
func (r *roster) unheard() (list []seat) {
	return slices.DeleteFunc(r.all(), func(s seat) bool { return s.epoch == "" || s.last.State == wire.Ended })
}

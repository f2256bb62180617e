// Package users computes the times of users who need several messages each, from the times of the messages:
// see [plan.User]. Stalls hit many messages of few users, so that 1 − pⁿ, which assumes independent messages,
// misleads. docs/methodology.md (Users) says what the times are and are not.
package users

import (
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Users puts messages together to users. A nil Users has none. Record and Swap may be called concurrently.
type Users struct {
	kinds       []kind
	connections uint64
	recorder    *histogram.Recorder // of users who finished: the series of record.OfUser, without those before them
	fresh       []*histogram.Histogram
}

// A kind has the users of one plan.User who are under way.
type kind struct {
	plan.User

	lanes []lane // by connection; a single one of messages in parallel
}

// A lane is a sequence of messages, of which each so many are those of a user.
type lane struct {
	mu      sync.Mutex
	first   uint64 // the number of the window's first message
	slots   []slot // of user i modulo their number
	givenUp int64
	_       [64]byte // the next lock is on another cache line
}

// A slot is a user of whom at least one message is done.
type slot struct {
	user       uint64 // from 1; 0: none
	left       int    // messages that are not done
	worst, sum time.Duration
}

// mostSlots bounds the users of a kind who are under way, of whom each takes 32 B.
const mostSlots = 1 << 20

// New returns the users of a list, which is that of [plan.Cell.Users]; nil if it is empty. Memory is for the
// users who are due within the timeout, 30 s at least, or of one lane two: a user who misses a message for
// longer is given up.
func New(cfg load.Config, list []plan.User) *Users {
	if len(list) == 0 {
		return nil
	}
	parts := cfg.Parts()
	first, all := make([]uint64, len(parts)), uint64(0)
	for i, part := range parts {
		counter := cfg.Schedule.Counter(part)
		first[i] = uint64(counter.Until(cfg.Warmup))
		all += first[i]
	}
	u := &Users{connections: uint64(len(parts)), recorder: histogram.NewRecorder(record.PerUser*len(list), 1)}
	for range record.PerUser * len(list) {
		u.fresh = append(u.fresh, histogram.NewResident())
	}
	under := max(cfg.Timeout, load.DefaultTimeout).Seconds() * float64(cfg.Schedule.Rate) / float64(max(cfg.Connections, 1))
	for _, of := range list {
		k := kind{User: of, lanes: make([]lane, len(parts))}
		perLane := under / float64(of.Messages)
		if of.Messages == 1 {
			perLane = 0 // nobody is under way
		}
		if of.Parallel {
			k.lanes, perLane = k.lanes[:1], perLane*float64(len(parts))
		}
		for i := range k.lanes {
			k.lanes[i].first = first[i]
			k.lanes[i].slots = make([]slot, 2+min(int(perLane), mostSlots/len(k.lanes)))
			clear(k.lanes[i].slots) // the kernel gives the memory now; else it does so page by page, all through the run
		}
		if of.Parallel {
			k.lanes[0].first = all
		}
		u.kinds = append(u.kinds, k)
	}
	return u
}

// Record takes a message of the window that is done. It allocates nothing.
func (u *Users) Record(op load.Op) {
	if u == nil {
		return
	}
	for i := range u.kinds {
		k := &u.kinds[i]
		l, number := &k.lanes[0], op.Seq*u.connections+uint64(op.Conn)
		if !k.Parallel {
			l, number = &k.lanes[op.Conn], op.Seq
		}
		if worst, sum, finished := l.add(number, k.Messages, op.Response()); finished {
			samples := [record.PerUser]histogram.Sample{{Series: record.PerUser * i, Value: worst}, {Series: record.PerUser*i + 1, Value: sum}}
			n := record.PerUser
			if k.Parallel {
				n-- // they are awaited together
			}
			u.recorder.Record(0, samples[:n])
		}
	}
}

// add adds a message, and reports whether it is the last of its user to be done.
func (l *lane) add(number uint64, messages int, response time.Duration) (worst, sum time.Duration, finished bool) {
	if messages == 1 {
		return response, response, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	user := (number-l.first)/uint64(messages) + 1
	s := &l.slots[user%uint64(len(l.slots))]
	if s.user > user {
		return 0, 0, false
	}
	if s.user < user {
		if s.left > 0 {
			l.givenUp++
		}
		*s = slot{user: user, left: messages}
	}
	s.left--
	s.worst, s.sum = max(s.worst, response), s.sum+response
	return s.worst, s.sum, s.left == 0
}

// Swap takes the users who finished since the last call.
func (u *Users) Swap() {
	if u != nil {
		u.recorder.Swap(u.fresh)
	}
}

// Fresh returns what Swap took, by the series of [record.OfUser] without those before them. The caller resets it
// before the next Swap.
func (u *Users) Fresh() []*histogram.Histogram {
	if u == nil {
		return nil
	}
	return u.fresh
}

// GivenUp returns how many users of each kind were given up.
func (u *Users) GivenUp() (list []int64) {
	if u == nil {
		return nil
	}
	for i := range u.kinds {
		n := int64(0)
		for j := range u.kinds[i].lanes {
			l := &u.kinds[i].lanes[j]
			l.mu.Lock()
			n += l.givenUp
			l.mu.Unlock()
		}
		list = append(list, n)
	}
	return list
}

// Series returns the series of a list of users.
func Series(list []plan.User) (series []int) {
	for i, of := range list {
		worst, sum := record.OfUser(i)
		if series = append(series, worst); !of.Parallel {
			series = append(series, sum)
		}
	}
	return series
}

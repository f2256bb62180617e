package measure

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/backlog"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A store with a limit discards the first messages of each log. Of a message that is not there it cannot be decided
// whether it was discarded or lost, unless it must be behind the first that is there. A log has messages in the order
// in which they were stored, which is not quite that of their schedule: a message is stored after it was due, and before it was
// acknowledged. So a message that was due later than the head of the log plus the longest time until an
// acknowledgement was stored after that head: the limit has not reached it, and it is lost.
//
// The head is not one message but the first few: a client that sends again may store a copy of an early message late.
const headMessages = 16

// discards is what an audit knows about the limit of a store.
type discards struct {
	meter   requester.StoreMeter
	cfg     load.Config
	store   *backlog.Store // that was filled before; nil: it was not
	several bool           // a connection has several logs, which have several heads
	slowest slowest

	heads []head // by connection
}

// A head is the beginning of the log of one connection.
type head struct {
	n      int    // messages of it that were read, headMessages at most
	latest uint64 // of these
	whole  bool   // messages that were stored before all others are there
}

// slowest keeps the longest wait for an acknowledgement on each connection. It is safe for concurrent use.
type slowest []atomic.Int64

// keep adds a wait. After the first few it only reads.
func (s slowest) keep(conn int, wait time.Duration) {
	for most := s[conn].Load(); int64(wait) > most && !s[conn].CompareAndSwap(most, int64(wait)); {
		most = s[conn].Load()
	}
}

// retains prepares the audit of a store that has a limit; a may be nil, and so may the store that is filled.
func (a *audit) retains(cfg load.Config, store *backlog.Store) {
	if a == nil || a.store.Retention == 0 {
		return
	}
	if meter, ok := a.auditor.(requester.StoreMeter); ok {
		n := a.acknowledged.Connections()
		a.discards = &discards{meter: meter, cfg: cfg, store: store, several: a.store.Logs > 1, slowest: make(slowest, n), heads: make([]head, n)}
	}
}

// slowestAcks returns where waits for acknowledgements are kept; nil if they are not needed.
func (a *audit) slowestAcks() slowest {
	if a == nil || a.discards == nil {
		return nil
	}
	return a.discards.slowest
}

// foreign is given each message that is none of the run.
func (d *discards) foreign(payload []byte) {
	if d == nil || d.several {
		return
	}
	if conn, ok := d.store.Conn(payload); ok {
		d.heads[conn].whole = true
	}
}

// own is given each message of the run, in the order of its log.
func (d *discards) own(conn int, seq uint64) {
	if d == nil {
		return
	}
	if h := &d.heads[conn]; h.n < headMessages {
		h.n, h.latest = h.n+1, max(h.latest, seq)
	}
}

// reach asks the target whether its limit has discarded messages, and returns for each connection before which one a message
// that is not there may have been; nil if none has been.
func (d *discards) reach(ctx context.Context) ([]uint64, error) {
	if d == nil {
		return nil, nil
	}
	state, err := d.meter.StoreState(ctx)
	if err != nil || state.Discarded == 0 {
		return nil, err
	}
	reach := make([]uint64, len(d.heads))
	for conn, part := range d.cfg.Parts() {
		switch h := d.heads[conn]; {
		case h.whole:
		case d.several || h.n < headMessages:
			reach[conn] = math.MaxUint64
		default:
			cursor, until := d.cfg.Schedule.Cursor(part), time.Duration(math.MaxInt64)
			for seq := uint64(0); ; seq++ {
				due, ok := cursor.Next()
				if seq == h.latest {
					until = due + time.Duration(d.slowest[conn].Load())
				}
				if reach[conn] = seq; !ok || due > until {
					break
				}
			}
		}
	}
	return reach, nil
}

package load

import (
	"fmt"

	"github.com/brokerbench/brokerbench/requester/load/internal/notes"
)

// A Failure is one cause for which ops failed.
type Failure = notes.Failure

// A Ledger accounts for every op that was due: Due = Done + Failed + Lost +
// Unsent.
type Ledger struct {
	Due    int64 `json:"due"`
	Done   int64 `json:"done"`   // a good reply came before the cell's end
	Failed int64 `json:"failed"` // the send returned an error, or was refused later
	Lost   int64 `json:"lost"`   // sent, and no good reply until the cell's end
	Unsent int64 `json:"unsent"` // never sent: no slot was free, or the sender was blocked
}

// Missing returns how many ops that were due are not done. They rank above every
// reply in a quantile.
func (l Ledger) Missing() int64 { return l.Due - l.Done }

// Check returns an error if the ledger does not add up, which is a defect of the
// engine and makes the result worthless.
func (l Ledger) Check() error {
	if l.Due != l.Done+l.Failed+l.Lost+l.Unsent {
		return fmt.Errorf("the ledger does not add up: %d due, %d done + %d failed + %d lost + %d unsent",
			l.Due, l.Done, l.Failed, l.Lost, l.Unsent)
	}
	return nil
}

// Add adds another ledger to this one.
func (l *Ledger) Add(other Ledger) {
	l.Due += other.Due
	l.Done += other.Done
	l.Failed += other.Failed
	l.Lost += other.Lost
	l.Unsent += other.Unsent
}

// AddSizes adds the ledgers of sizes to others, which may be nil.
func AddSizes(sum, more []Ledger) []Ledger {
	if len(sum) < len(more) {
		sum = append(sum, make([]Ledger, len(more)-len(sum))...)
	}
	for i, l := range more {
		sum[i].Add(l)
	}
	return sum
}

// checkSizes returns an error if the ledgers of sizes do not add up to that of the window: their ops
// were counted one by one.
func (o Outcome) checkSizes() error {
	if len(o.Sizes) == 0 {
		return nil
	}
	var sum Ledger
	for _, l := range o.Sizes {
		if err := l.Check(); err != nil {
			return fmt.Errorf("of one size: %w", err)
		}
		sum.Add(l)
	}
	if sum != o.Window {
		return fmt.Errorf("the ledgers of the sizes do not add up: %+v, and %+v of all", sum, o.Window)
	}
	return nil
}

// Strays counts replies that make no op done. They are apart from the ledger.
type Strays struct {
	Duplicate int64 `json:"duplicate"` // of an op that was settled already
	// Late are the first replies to ops of the window that were given up, and so are lost: where more than some
	// hundred thousand wait, those sent more than twice the timeout ago.
	Late    int64 `json:"late,omitempty"`
	Foreign int64 `json:"foreign"` // of another run or another connection
	Corrupt int64 `json:"corrupt"` // of the wrong size or content, or of an op never sent
}

// Add adds others.
func (s *Strays) Add(other Strays) {
	s.Duplicate += other.Duplicate
	s.Late += other.Late
	s.Foreign += other.Foreign
	s.Corrupt += other.Corrupt
}

// AckLedger accounts for the ops that the system under test acknowledged, and whether it
// delivered them. All is 0 if it does not
// acknowledge. Duplicates are among the [Strays].
type AckLedger struct {
	Acked int64 `json:"acked"` // acknowledged before the cell's end
	// Delivered were acknowledged and came back, in either order: Acked = Delivered + Missing.
	Delivered int64 `json:"kept"`
	Missing   int64 `json:"broken"` // acknowledged, and no good reply until the cell's end
	// Unacked came back and were not acknowledged until the cell's end: not a fault, since
	// they were not acknowledged.
	Unacked int64 `json:"unacked"`
	// Early came back before their acknowledgement, as the client passed the two on. It
	// does not concern the system: two goroutines of a client may do so in either order.
	Early int64 `json:"early"`
	// Disordered came back after an op that was sent later on the same connection.
	Disordered int64 `json:"disordered"`
}

// deliver counts an op that came back.
func (p *AckLedger) deliver(op Op) {
	if op.Acked {
		p.Delivered++
	} else {
		p.Unacked++ // until it is acknowledged
	}
	if op.Disordered {
		p.Disordered++
	}
}

// acknowledge counts an op that was acknowledged.
func (p *AckLedger) acknowledge(a Ack) {
	p.Acked++
	if a.Done {
		p.Unacked--
		p.Delivered++
		p.Early++
	}
}

// Add adds another ledger to this one.
func (p *AckLedger) Add(other AckLedger) {
	p.Acked += other.Acked
	p.Delivered += other.Delivered
	p.Missing += other.Missing
	p.Unacked += other.Unacked
	p.Early += other.Early
	p.Disordered += other.Disordered
}

// check returns an error if the acknowledgements do not add up, among themselves or with the
// ledger: both count what came back.
func (p AckLedger) check(l Ledger) error {
	if p.Acked != p.Delivered+p.Missing || l.Done != p.Delivered+p.Unacked || p.Missing > l.Lost {
		return fmt.Errorf("the acknowledgements do not add up: %d acknowledged, %d delivered + %d missing; %d done, %d of them not acknowledged; %d lost",
			p.Acked, p.Delivered, p.Missing, l.Done, p.Unacked, l.Lost)
	}
	return nil
}

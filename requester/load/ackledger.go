package load

import "fmt"

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

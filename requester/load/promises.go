package load

import "fmt"

// Promises accounts for what the system under test acknowledged: for each op, whether it
// took responsibility for it, and whether it delivered it. All is 0 if it does not
// acknowledge. Duplicates are among the [Strays].
type Promises struct {
	Acked int64 `json:"acked"` // acknowledged before the cell's end
	// Kept were acknowledged and came back, in either order: Acked = Kept + Broken.
	Kept   int64 `json:"kept"`
	Broken int64 `json:"broken"` // acknowledged, and no good reply until the cell's end
	// Unacked came back and were not acknowledged until the cell's end: no fault, since
	// nothing was promised.
	Unacked int64 `json:"unacked"`
	// Early came back before their acknowledgement, as the client handed the two over. It
	// says nothing of the system: two goroutines of a client may do so in either order.
	Early int64 `json:"early"`
	// Disordered came back after an op that was sent later on the same connection.
	Disordered int64 `json:"disordered"`
}

// deliver counts an op that came back.
func (p *Promises) deliver(op Op) {
	if op.Acked {
		p.Kept++
	} else {
		p.Unacked++ // until it is acknowledged
	}
	if op.Disordered {
		p.Disordered++
	}
}

// acknowledge counts an op that was acknowledged.
func (p *Promises) acknowledge(a Ack) {
	p.Acked++
	if a.Done {
		p.Unacked--
		p.Kept++
		p.Early++
	}
}

// Add adds other promises to these.
func (p *Promises) Add(other Promises) {
	p.Acked += other.Acked
	p.Kept += other.Kept
	p.Broken += other.Broken
	p.Unacked += other.Unacked
	p.Early += other.Early
	p.Disordered += other.Disordered
}

// check returns an error if the promises do not add up, among themselves or with the
// ledger: both count what came back.
func (p Promises) check(l Ledger) error {
	if p.Acked != p.Kept+p.Broken || l.Done != p.Kept+p.Unacked || p.Broken > l.Lost {
		return fmt.Errorf("the promises do not add up: %d acknowledged, %d kept + %d broken; %d done, %d of them not acknowledged; %d lost",
			p.Acked, p.Kept, p.Broken, l.Done, p.Unacked, l.Lost)
	}
	return nil
}

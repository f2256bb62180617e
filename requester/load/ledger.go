package load

import "fmt"

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

// Strays counts replies that make no op done. They are apart from the ledger.
type Strays struct {
	Duplicate int64 `json:"duplicate"` // of an op that was settled already
	Foreign   int64 `json:"foreign"`   // of another run or another connection
	Corrupt   int64 `json:"corrupt"`   // of the wrong size or content, or of an op never sent
}

func (s *Strays) add(other Strays) {
	s.Duplicate += other.Duplicate
	s.Foreign += other.Foreign
	s.Corrupt += other.Corrupt
}

package live

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/measure"
)

// AuditSchema is the version of an [AuditObject]: within it, fields are only added.
const AuditSchema = "brokerbench/audit/1"

// An AuditObject is what JSON writes while an audit lasts, twice a second.
type AuditObject struct {
	Schema string    `json:"schema"` // AuditSchema
	Time   time.Time `json:"time"`

	Cell      string `json:"cell"`       // its id
	ElapsedNS int64  `json:"elapsed_ns"` // since the audit began
	Read      int64  `json:"read"`       // messages of this cell so far
	Acked     int64  `json:"acked"`      // how many were acknowledged: as many are there, if none is lost
}

// audited writes the progress of an audit, which may read more than the acknowledged messages.
func audited(now measure.Auditing) string {
	if now.Read > now.Acked {
		return fmt.Sprintf("auditing %s: %s read", now.Cell.Target.Name, words.Count(now.Read))
	}
	return fmt.Sprintf("auditing %s: %s of %s read", now.Cell.Target.Name, words.Count(now.Read), words.Count(now.Acked))
}

// Audit implements View.
func (b Block) Audit(at Position, now measure.Auditing) {
	columns, _ := b.Screen.Size()
	lines := []string{
		fitting(columns, []string{at.String() + ": all messages are sent", at.String()}),
		fitting(columns, []string{"  " + audited(now), audited(now)}),
		fitting(columns, []string{"  Ctrl-C keeps the cell, and ends the audit without an answer", "Ctrl-C ends the audit"}),
	}
	b.Screen.Draw(lines)
}

// Audit implements View.
func (l *Lines) Audit(at Position, now measure.Auditing) {
	if at.N != l.audited || now.Elapsed < l.auditElapsed { // another audit
		l.audited, l.auditElapsed = at.N, 0
	}
	if now.Elapsed-l.auditElapsed < lineEvery {
		return
	}
	l.auditElapsed = now.Elapsed
	fmt.Fprintf(l.w, "%v: %s\n", at, audited(now))
}

// Audit implements View.
func (j JSON) Audit(at Position, now measure.Auditing) {
	o := AuditObject{Schema: AuditSchema, Time: time.Now(), Cell: at.Cell.ID(), ElapsedNS: int64(now.Elapsed), Read: now.Read, Acked: now.Acked}
	_ = json.NewEncoder(j.W).Encode(o) // progress may be lost
}

// Audit implements View.
func (Discard) Audit(Position, measure.Auditing) {}

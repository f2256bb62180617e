package live

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/measure"
)

// readSoFar returns how far an audit of three million is after so long.
func readSoFar(elapsed time.Duration) measure.Auditing {
	return measure.Auditing{Cell: cells()[0], Elapsed: elapsed, Read: int64(elapsed/time.Millisecond) * 200, Acked: 3_000_000}
}

// The block of an audit takes the place of the messages', in any width.
func TestTheBlockOfAnAudit(t *testing.T) {
	v := newTerminal(t, 80, 24)
	view := Block{NewScreen(v, v.size)}
	view.Show(NewPosition(cells(), 1), at(36*time.Second))
	view.Audit(NewPosition(cells(), 1), readSoFar(6*time.Second))
	wide := v.String()
	view.Clear()
	wantShown(t, v)
	narrow := newTerminal(t, 40, 24)
	Block{NewScreen(narrow, narrow.size)}.Audit(NewPosition(cells(), 1), readSoFar(6*time.Second))
	golden.Check(t, "audit-block.txt", wide+"\n\n"+narrow.String()+"\n")
}

// Where lines add up there is one every five seconds, of each audit.
func TestTheLinesOfAnAudit(t *testing.T) {
	var b strings.Builder
	l := NewLines(&b)
	for n := 1; n <= 2; n++ {
		for elapsed := 500 * ms; elapsed <= 11*time.Second; elapsed += 500 * ms {
			l.Audit(NewPosition(cells(), n), readSoFar(elapsed))
		}
	}
	golden.Check(t, "audit-lines.txt", b.String())
}

// A store may hold more than was acknowledged.
func TestAnAuditThatReadsMoreThanWasAcknowledged(t *testing.T) {
	now := readSoFar(20 * time.Second)
	if got := audited(now); got != "auditing nats: 4,000,000 read" {
		t.Errorf("%q", got)
	}
}

func TestTheObjectsOfAnAudit(t *testing.T) {
	var b bytes.Buffer
	JSON{W: &b}.Audit(NewPosition(cells(), 2), readSoFar(6*time.Second))
	decoder := json.NewDecoder(&b)
	decoder.DisallowUnknownFields()
	var o AuditObject
	if err := decoder.Decode(&o); err != nil || o.Schema != AuditSchema || o.Read != 1_200_000 || o.Acked != 3_000_000 || o.ElapsedNS != 6e9 || o.Cell != cells()[1].ID() {
		t.Errorf("%+v, %v", o, err)
	}
	text, err := os.ReadFile("../../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := bytes.Cut(text, []byte("`"+AuditSchema+"`"))
	fields := reflect.TypeFor[AuditObject]()
	for i := range fields.NumField() {
		if name := fields.Field(i).Tag.Get("json"); !bytes.Contains(section, []byte("`"+name+"`")) {
			t.Errorf("docs/files.md does not mention %s", name)
		}
	}
}

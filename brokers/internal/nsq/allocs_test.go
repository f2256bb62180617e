package nsq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

// An answer of nsqd is reported without garbage.
func TestAnAnswerAllocatesNothing(t *testing.T) {
	acked := 0
	c := new(conn)
	c.Outcomes = transport.NewOutcomes(requester.Sink{Acked: func(payload []byte) { acked += int(payload[0]) }}, nil)
	p := &publisher{link: &link{conn: c}}
	message := sent{head: transport.Stamp{1}}
	n := testing.AllocsPerRun(1000, func() {
		_ = p.add(message)
		p.OnResponse(nil, nil)
	})
	if n != 0 || acked != 1001 {
		t.Errorf("%v allocations, %d answers", n, acked)
	}
}

package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/cluster/wire"
)

// mostUnanswered bounds the beats that are remembered until they are answered.
const mostUnanswered = 256

// beat reports the state. One that cannot be sent is not sent again: the next says more.
func (a *Agent) beat() {
	b := wire.Beat{Agent: a.name, Epoch: a.epoch, Version: a.cfg.Version, Environment: a.cfg.Environment, State: wire.Idle}
	a.mu.Lock()
	if a.job != nil {
		a.job.describe(&b)
	}
	a.seq++
	inbox := fmt.Sprintf("%s.beat.%d", a.inbox(), a.seq)
	if len(a.sent) > mostUnanswered {
		clear(a.sent)
	}
	a.sent[inbox] = time.Now()
	a.mu.Unlock()
	text, err := json.Marshal(b)
	if err == nil {
		_ = a.conn.PublishRequest(a.subjects.Beat(a.name), inbox, text)
	}
}

// answered takes the answer to a beat, which renews the lease from when the beat was sent.
func (a *Agent) answered(m *nats.Msg) {
	if m.Header.Get("Status") == "503" { // the server is there, and no coordinator
		a.link.alone()
		return
	}
	var r wire.Reply
	if json.Unmarshal(m.Data, &r) != nil {
		return
	}
	switch {
	case r.Refused != "":
		a.finish(errors.New("refused by the coordinator: " + r.Refused))
		a.nudge()
		return
	case r.Over:
		a.finish(errOver)
		a.nudge()
		return
	}
	a.link.answered()
	a.mu.Lock()
	defer a.mu.Unlock()
	sent, ok := a.sent[m.Subject]
	if delete(a.sent, m.Subject); ok && sent.After(a.heard) {
		a.heard, a.lease = sent, r.Lease
	}
}

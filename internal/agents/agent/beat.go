package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// mostUnanswered bounds the beats that are remembered until they are answered.
const mostUnanswered = 256

// reported is what a beat said, as far as its answer matters.
type reported struct {
	at      time.Time
	key     string
	state   wire.State
	leaving bool
}

// beat reports the state. One that cannot be sent is not sent again: the next says more.
func (a *Agent) beat() { _ = a.report("") }

// report reports the state, or another one in its place.
func (a *Agent) report(state wire.State) error {
	b := wire.Beat{Agent: a.name, Epoch: a.epoch, Version: a.cfg.Version, Environment: a.cfg.Environment, State: wire.Idle}
	a.mu.Lock()
	if a.job != nil {
		a.job.describe(&b)
	}
	b.State, b.Leaving = cmp.Or(state, b.State), !a.leaving.IsZero()
	a.seq++
	inbox := fmt.Sprintf("%s.beat.%d", a.inbox(), a.seq)
	if len(a.sent) > mostUnanswered {
		clear(a.sent)
	}
	a.sent[inbox] = reported{time.Now(), b.Key, b.State, b.Leaving}
	a.mu.Unlock()
	text, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("reporting: %w", err)
	}
	return a.conn.PublishRequest(a.subjects.Beat(a.name), inbox, text)
}

// lastBeat reports that the agent has ended on an order, so that the order is not repeated.
func (a *Agent) lastBeat() {
	for until := time.Now().Add(answerTime); time.Now().Before(until); time.Sleep(sendPause) {
		if a.report(wire.Ended) == nil && a.conn.FlushTimeout(answerTime) == nil {
			return
		}
	}
}

// answered takes the answer to a beat, which renews the lease from when the beat was sent.
func (a *Agent) answered(m *nats.Msg) {
	var r wire.Reply
	if json.Unmarshal(m.Data, &r) != nil { // also the server's own answer, 503, while there is no coordinator
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
	a.mu.Lock()
	defer a.mu.Unlock()
	sent, ok := a.sent[m.Subject]
	delete(a.sent, m.Subject)
	if !ok {
		return
	}
	if sent.at.After(a.heard) {
		a.heard, a.lease = sent.at, r.Lease
	}
	if sent.state == wire.Delivered {
		a.job.heardOf(sent.key)
	}
	if sent.leaving && sent.state != wire.Running && sent.state != wire.Done {
		a.parted = true
		a.nudge()
	}
}

package agent

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// ordered takes an order. A clock is read at once: all else can wait.
func (a *Agent) ordered(m *nats.Msg) {
	came := time.Since(a.began)
	var o wire.Order
	if json.Unmarshal(m.Data, &o) != nil || o.Epoch != a.epoch {
		return // for another process by this name
	}
	if o.Kind == wire.Clock {
		text, _ := json.Marshal(wire.Tick{Came: came, Left: time.Since(a.began)})
		_ = m.Respond(text)
		return
	}
	select {
	case a.orders <- o:
	default: // it is repeated
	}
}

// older tells whether a key is of an attempt before that of another. Keys are numbers that grow
// from attempt to attempt: an older one comes from a coordinator that no longer has the run.
func older(key, than string) bool {
	a, err := strconv.ParseUint(key, 10, 64)
	if err != nil {
		return false
	}
	b, err := strconv.ParseUint(than, 10, 64)
	return err == nil && a < b
}

// follow does what an order says, unless it is done.
func (a *Agent) follow(ctx context.Context, o wire.Order) {
	j := a.current()
	mine := j != nil && j.key == o.Key
	switch o.Kind {
	case wire.Prepare:
		if !mine && o.Task != nil && ctx.Err() == nil && (j == nil || !older(o.Key, j.key)) {
			j.abandon("another task came")
			a.begin(ctx, o.Key, *o.Task)
		}
	case wire.Start:
		if mine {
			j.startAt(a.began.Add(o.Start), o.Echo)
		}
	case wire.Healed:
		if mine {
			j.goOn()
		}
	case wire.Deliver:
		if mine {
			j.deliverAgain()
		}
	case wire.Stop:
		if mine {
			j.stop("it was told to stop")
		}
	case wire.Forget:
		if mine {
			j.abandon("its result is not needed")
		}
	case wire.Bye:
		a.finish(errOver)
	case wire.Clock: // it is answered as it comes
	}
}

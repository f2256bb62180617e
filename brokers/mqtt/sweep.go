package mqtt

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
)

var _ leftover.Sweeper = (*Factory)(nil)

// listen is how long Find listens whether messages of a cell pass.
const listen = time.Second

// Find implements [leftover.Sweeper]. MQTT cannot list sessions: Find asks for those that the
// run can have, by name, and says which it asked for. A session is in use if messages of its
// cell pass.
func (f *Factory) Find(ctx context.Context, q leftover.Query) ([]leftover.Thing, string, error) {
	const unseen = "MQTT cannot list sessions: "
	if q.Run == "" {
		c, err := f.dial(ctx, 0, dialling{id: "brokerbench." + f.run + ".clean"})
		if err != nil {
			return nil, "", f.explain("connecting", err)
		}
		c.close(false)
		return nil, unseen + fmt.Sprintf("name a run with --run; a session that is left expires by itself %v after its last use", expiry), nil
	}
	l := &looking{factory: f, busy: make(map[string]string)}
	names := func(run string, number int) []string { return []string{auditID(run, number)} }
	things, asked, err := leftover.Ask(q.Run, "session", names, func(id string) (string, bool, error) { return l.inspect(ctx, id) })
	if err != nil {
		return nil, "", f.explain("looking for sessions", err)
	}
	return things, unseen + "asked by name for those of " + asked, nil
}

// looking is one look for what is left.
type looking struct {
	factory *Factory
	busy    map[string]string // why the sessions of a cell are in use, as far as that was found out
}

// inspect asks for a session, and takes nothing out of it. What is not there is made and removed.
func (l *looking) inspect(ctx context.Context, id string) (busy string, there bool, err error) {
	d := kept(id)
	d.session = newSession()
	d.session.mute = true
	c, err := l.factory.dial(ctx, 0, d)
	if err != nil {
		return "", false, err
	}
	there = c.answer.SessionPresent
	c.close(!there)
	if !there {
		return "", false, nil
	}
	cell := leftover.Run(id)
	if _, known := l.busy[cell]; !known {
		l.busy[cell], err = l.factory.overhear(ctx, cell)
	}
	return l.busy[cell], true, err
}

// overhear returns why a cell lives: messages pass. It is "" if none does.
func (f *Factory) overhear(ctx context.Context, cell string) (string, error) {
	heard := make(chan struct{}, 1)
	c, err := f.dial(ctx, 0, dialling{id: "brokerbench." + f.run + ".clean", deliver: func([]byte) {
		select {
		case heard <- struct{}{}:
		default: // one is enough
		}
	}})
	if err != nil {
		return "", err
	}
	defer c.close(false)
	if err := c.subscribe(ctx, "brokerbench/"+cell+"/+", 0); err != nil {
		return "", err
	}
	select {
	case <-heard:
		return "messages pass", nil
	case <-time.After(listen):
		return "", nil
	case <-ctx.Done():
		return "", target.Because(ctx, ctx.Err())
	}
}

// Remove implements [leftover.Sweeper].
func (f *Factory) Remove(ctx context.Context, things []leftover.Thing) []error {
	errs := make([]error, len(things))
	for i, t := range things {
		errs[i] = f.remove(ctx, t.Name)
	}
	return errs
}

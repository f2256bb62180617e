package mqtt

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string { return transport.Left(&f.conns) }

// Find implements [requester.Sweeper]. MQTT cannot list sessions: Find asks for those that the
// run can have, by name, and says which it asked for. A session is in use if messages of its
// cell pass.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) ([]requester.Leftover, string, error) {
	const unseen = "MQTT cannot list sessions: "
	if q.Run == "" {
		c, err := f.dial(ctx, 0, dialOptions{id: "brokerbench." + f.run + ".clean"})
		if err != nil {
			return nil, "", f.explain("connecting", err)
		}
		c.close(false)
		return nil, unseen + fmt.Sprintf("name a run with --run; a session that is left expires by itself %v after its last use", expiry), nil
	}
	busy := make(map[string]string) // why the sessions of a cell are in use
	names := func(run string, number int) []string { return []string{auditID(run, number)} }
	found, asked, err := leftover.Ask(q.Run, "session", names, func(id string) (string, bool, error) {
		there, err := f.there(ctx, id)
		if err != nil || !there {
			return "", false, err
		}
		cell := leftover.Run(id)
		if _, known := busy[cell]; !known {
			busy[cell], err = f.busy(ctx, cell)
		}
		return busy[cell], true, err
	})
	if err != nil {
		return nil, "", f.explain("looking for sessions", err)
	}
	return found, unseen + "asked by name for those of " + asked, nil
}

// there reports whether there is a session, and takes nothing out of it. One that is not there is
// made and removed.
func (f *Factory) there(ctx context.Context, id string) (bool, error) {
	o := resumed(id)
	o.keep = true
	c, err := f.dial(ctx, 0, o)
	if err != nil {
		return false, err
	}
	there := c.answer.SessionPresent
	c.close(!there)
	return there, nil
}

// busy returns why a cell lives: messages pass. It is "" if none does.
func (f *Factory) busy(ctx context.Context, cell string) (string, error) {
	message, _, err := f.listen(ctx, "clean", "brokerbench/"+cell+"/+")
	if message == "" {
		return "", err
	}
	return "messages pass", err
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, leftovers []requester.Leftover) []error {
	errs := make([]error, len(leftovers))
	for i, l := range leftovers {
		errs[i] = f.remove(ctx, l.Name)
	}
	return errs
}

// remove removes a session.
func (f *Factory) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	c, err := f.dial(ctx, 0, dialOptions{id: id}) // a clean start, and it ends with its connection
	if err != nil {
		return f.explain("removing session "+id, err)
	}
	c.close(true)
	return nil
}

package mqtt

import (
	"context"
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
)

// expiry is how long a session for an audit outlives its last connection.
const expiry = 7 * 24 * time.Hour

// removeLimit is how long it may take to remove a session.
const removeLimit = 2 * time.Second

// kept returns how the session of an audit is taken up, or made.
func kept(id string) dialling {
	return dialling{id: id, resume: true, expiry: uint32(expiry / time.Second)}
}

// errTaken is that a session is there that nobody has made yet.
var errTaken = errors.New("another run has this name: its session is there")

// keep makes the session that the audit reads, which is away from then on. It is not a clean
// start: of a session that began so, Mosquitto 2.0 writes nothing to its file.
func (f *Factory) keep(ctx context.Context, number int) error {
	c, err := f.dial(ctx, number, kept(auditID(f.run, number)))
	if err != nil {
		return err
	}
	defer c.close(false)
	defer context.AfterFunc(ctx, c.socket.cut)()
	if c.answer.SessionPresent {
		return errTaken
	}
	return target.Because(ctx, c.subscribe(ctx, topic(f.run, number), 1))
}

// remove removes a session.
func (f *Factory) remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	c, err := f.dial(ctx, 0, dialling{id: id}) // a clean start, and it ends with its connection
	if err != nil {
		return f.explain("removing session "+id, err)
	}
	c.close(true)
	return nil
}

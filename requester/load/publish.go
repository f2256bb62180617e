package load

import "time"

// publish records that an op was on the socket when its Request returned. One that returns
// after the end of the run is not recorded: until then it was not.
func (c *conn) publish(due, returned time.Duration) {
	// finish stops the senders and then waits for recording to be 0: either it sees this
	// one, or this one sees that it is too late.
	c.recording.Add(1)
	if c.run.until.Load() != stopped {
		c.run.publishes.RecordPublish(Publish{Conn: c.index, Due: due, Published: returned, Warmup: due < c.run.cfg.Warmup})
	}
	c.recording.Add(-1)
}

// askPublishes finds out whether all connections tell when a message is on the socket, and
// the recorder wants to know. Of some connections alone it would be no distribution.
func (r *run) askPublishes() {
	recorder, ok := r.recorder.(PublishRecorder)
	if !ok {
		return
	}
	for _, c := range r.conns {
		if !c.traits.WritesToSocket {
			return
		}
	}
	for _, c := range r.conns {
		c.publishes = true
	}
	r.publishes = recorder
	if r.hooks.Publishes != nil {
		r.hooks.Publishes() // it may make room
	}
}

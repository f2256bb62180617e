package measure

import (
	"errors"
	"time"
)

// loop takes an interval at every whole second of the schedule, and looks between
// them if that is wanted.
func (in *intervals) loop() {
	defer close(in.ended)
	for at := in.after(0); ; at = in.after(at) {
		select {
		case <-time.After(at - time.Since(in.start)):
			in.look(time.Since(in.start), at%period == 0)
		case elapsed := <-in.over:
			in.look(max(elapsed, in.from), true)
			return
		}
	}
}

// after returns when the next look is due: at the multiples of every, and at
// whole seconds.
func (in *intervals) after(at time.Duration) time.Duration {
	return min(at-at%in.every+in.every, at-at%period+period)
}

// look takes what was recorded since the last look. It ends the current interval
// at the offset to, or leaves it open.
func (in *intervals) look(to time.Duration, end bool) {
	in.recorder.Swap(in.fresh[:])
	for s, h := range in.fresh {
		in.err = errors.Join(in.err, in.taken[s].Merge(h), in.totals[s].Merge(h))
		h.Reset()
	}
	if end {
		in.keep(to)
	}
	in.watcher.tell(in, to, end)
	if end {
		in.renew(to)
	}
}

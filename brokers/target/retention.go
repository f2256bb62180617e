package target

import (
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/config/number"
	"github.com/brokerbench/brokerbench/requester"
)

// A Retention is the option retention of a broker whose store can discard its oldest messages.
type Retention struct{ bytes int64 }

// The limits of the option. A broker discards whole segments or blocks, which are no smaller than leastRetention.
const (
	retentionOption = "retention"
	leastRetention  = 8 << 20
	mostRetention   = 1 << 50
)

// Define adds the option. As says how the broker does it.
func (r *Retention) Define(o Options, as string) {
	o.Var(r, retentionOption, "bytes of messages that the store keeps, of all connections of this process together: beyond it the broker discards the oldest, "+as+"; 0: it discards nothing")
}

// Check returns an error if the value is not possible, or if stores says that the target stores nothing.
func (r *Retention) Check(stores bool, needs string) error {
	switch {
	case r.bytes == 0:
		return nil
	case !stores:
		return fmt.Errorf("option retention=%v needs %s: otherwise nothing is stored", r, needs)
	case r.bytes < leastRetention || r.bytes > mostRetention:
		return fmt.Errorf("option retention: %v is not between 8MiB and 1048576GiB, or 0", r)
	}
	return nil
}

// Bytes returns the limit; 0: there is none.
func (r *Retention) Bytes() int64 { return r.bytes }

// Share returns how many bytes each of so many logs keeps; 0: there is no limit.
func (r *Retention) Share(logs int) int64 { return r.bytes / int64(max(logs, 1)) }

// A log discards whole segments: so many of them are its share.
const (
	segments     = 8
	leastSegment = 1 << 20
)

// Segment returns the bytes of a segment of a log with a share.
func Segment(share int64) int64 { return max(share/segments, leastSegment) }

// Limits returns that a store with a limit backs no level of durability: acknowledged messages are removed although nothing
// has failed.
func (r *Retention) Limits() []Limit {
	if r.bytes == 0 {
		return nil
	}
	return []Limit{{Level: requester.None, Because: fmt.Sprintf("the broker discards messages beyond retention=%v, and does not keep those", r), Remedy: "leave out retention"}}
}

// Keeps returns why a group cannot find a backlog; nil if nothing is discarded.
func (r *Retention) Keeps() error {
	return Refuse(r.bytes > 0, "the broker discards messages beyond retention=%v: leave out the option", r)
}

// String implements flag.Value.
func (r *Retention) String() string {
	n, unit := r.bytes, 0
	for n > 0 && n%1024 == 0 && unit < 3 {
		n, unit = n/1024, unit+1
	}
	if r.bytes == 0 {
		return "0"
	}
	return fmt.Sprint(n, []string{"B", "KiB", "MiB", "GiB"}[unit])
}

// Set implements flag.Value.
func (r *Retention) Set(text string) error {
	if text == "0" {
		text = "none"
	}
	n, err := number.Store(text)
	if err != nil {
		return errors.New("want bytes with their unit, such as 512MiB or 4GiB, or 0")
	}
	r.bytes = n
	return nil
}

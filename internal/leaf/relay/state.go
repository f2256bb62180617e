package relay

import (
	"math/rand/v2"
	"time"
)

// A State is how the network in front of a node is. The zero value passes everything on at
// once.
type State struct {
	Deaf bool // nothing reaches the node
	Mute bool // nothing comes from it

	// Both directions are as late and as narrow.
	Delay    time.Duration
	Jitter   time.Duration // up to so much more or less
	Loss     float64       // part of the segments that are lost and sent again
	Throttle int64         // bytes per second of all connections together, in each direction; 0: no limit
	Seed     uint64        // of jitter and loss
}

// What TCP does on Linux: a segment carries so many bytes on Ethernet, and one that is lost
// is sent again after so long at least, and then after twice that, unless so many segments
// that follow show sooner that it is missing.
const (
	segment    = 1448
	leastRetry = 200 * time.Millisecond
	mostRetry  = 120 * time.Second
	duplicates = 3
)

// A channel is one direction of the network, which all connections share.
type channel struct{ busy time.Time } // until then, with what was sent; under the relay's lock

// occupy returns when n bytes that come now are through.
func (c *channel) occupy(now time.Time, n int, bytesPerSecond int64) time.Time {
	if bytesPerSecond <= 0 {
		return now
	}
	if c.busy.Before(now) {
		c.busy = now
	}
	c.busy = c.busy.Add(time.Duration(float64(n) / float64(bytesPerSecond) * float64(time.Second)))
	return c.busy
}

// A fate decides for one direction of a connection how late its bytes are.
type fate struct {
	number  uint64 // of the connection and direction
	version int    // of the state that random is for
	random  *rand.Rand
	last    time.Time // when what came before is passed on: nothing overtakes
}

// release returns when n bytes that came at now are passed on, if they leave the channel at
// out.
func (f *fate) release(s State, version int, out time.Time, n int) time.Time {
	if f.random == nil || f.version != version {
		f.version, f.random = version, rand.New(rand.NewPCG(s.Seed, f.number)) //nolint:gosec // reproducible
	}
	at := out.Add(s.Delay)
	if s.Jitter > 0 {
		at = at.Add(time.Duration((2*f.random.Float64() - 1) * float64(s.Jitter)))
	}
	if s.Loss > 0 {
		at = at.Add(f.retries(s, n))
	}
	if at.Before(f.last) {
		at = f.last
	}
	f.last = at
	return at
}

// retries returns how much later n bytes are because some of their segments are lost: all are
// as late as the latest, because what comes after a missing segment waits for it.
func (f *fate) retries(s State, n int) (most time.Duration) {
	for left := (n - 1) / segment; left >= 0; left-- {
		var late time.Duration
		retry := leastRetry + 2*s.Delay
		for tries := 0; late < mostRetry && f.random.Float64() < s.Loss; tries++ {
			if tries == 0 && left >= duplicates {
				late += 2 * s.Delay // those that follow show it after a round trip
				continue
			}
			late += retry
			retry *= 2
		}
		most = max(most, late)
	}
	return most
}

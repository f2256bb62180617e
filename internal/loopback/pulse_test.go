package loopback

import (
	"testing"
	"testing/synctest"
	"time"
)

// Who asks at once after a standstill is told of it, even if the pulse did not beat
// yet.
func TestAStandstillIsSeenBeforeTheNextBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Pulse{began: time.Now()} // nothing beats: as while the process is stopped
		time.Sleep(300 * time.Millisecond)
		if got, want := p.Still(), 300*time.Millisecond-beatEvery; got != want {
			t.Errorf("still for %v, want %v", got, want)
		}
	})
}

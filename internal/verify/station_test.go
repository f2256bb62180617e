package verify

import (
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

// leaving is a factory that leaves a topic, and has nothing else.
type leaving struct {
	requester.Factory
	requester.Sweeper
}

func (leaving) Left() []string { return []string{"topic x"} }

func TestTheStationTellsWhatIsLeftBehindIt(t *testing.T) {
	s, ok := requester.As[requester.Sweeper](&station{Factory: leaving{}})
	if !ok || len(s.Left()) != 1 {
		t.Error("what is left is not told")
	}
}

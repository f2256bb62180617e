package verify

import (
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

// leaving is a connection that leaves a topic, and has nothing else.
type leaving struct {
	requester.Requester
	requester.Factory
}

func (l leaving) New(int, requester.Reply) (requester.Requester, error) { return l, nil }
func (leaving) Left() []string                                          { return []string{"topic x"} }

func TestTheStationTellsWhatIsLeftBehindIt(t *testing.T) {
	r, err := (&station{Factory: leaving{}}).New(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := r.(requester.Leaver); !ok || len(l.Left()) != 1 {
		t.Errorf("%T: what is left is not told", r)
	}
}

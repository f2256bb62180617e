package child

import "testing"

func TestOnlyTheHiddenArgumentsAreAChild(t *testing.T) {
	for _, args := range [][]string{nil, {"run"}, {natsCommand, "x"}, {tcpCommand}, {pauseCommand}, {"x", natsCommand}} {
		if isChild, err := Serve(args, nil, nil); isChild || err != nil {
			t.Errorf("%q: a child %v, %v", args, isChild, err)
		}
	}
}

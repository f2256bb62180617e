package transport

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A canceler is a WriteCanceler that counts its cuts, and two contexts.
type canceler struct {
	WriteCanceler
	first, second             context.Context
	cancelFirst, cancelSecond context.CancelFunc
	cuts                      int
}

// want waits until a call that hangs has been cut, and compares.
func (g *canceler) want(t *testing.T, cuts int) {
	t.Helper()
	time.Sleep(2 * grace)
	synctest.Wait()
	if g.cuts != cuts {
		t.Errorf("%d cuts, want %d", g.cuts, cuts)
	}
}

func TestWriteCanceler(t *testing.T) {
	tests := map[string]func(t *testing.T, g *canceler){
		"cuts a call that hangs": func(t *testing.T, g *canceler) {
			g.Enter(g.first)
			time.Sleep(time.Hour)
			g.want(t, 0)
			g.cancelFirst()
			g.want(t, 1)
		},
		"lets calls return": func(t *testing.T, g *canceler) {
			g.Enter(g.first)
			g.cancelFirst()
			time.Sleep(grace / 2) // about to return
			g.Leave()
			g.Release()
			g.want(t, 0)
		},
		"watches the context of the last call": func(t *testing.T, g *canceler) {
			for _, ctx := range []context.Context{g.first, g.first, g.second} {
				g.Enter(ctx)
				g.Leave()
			}
			g.Enter(g.second)
			g.cancelFirst()
			g.want(t, 0)
			g.cancelSecond()
			g.want(t, 1)
		},
		"watches nothing once released": func(t *testing.T, g *canceler) {
			g.Release()
			g.Enter(g.first)
			g.cancelFirst()
			g.want(t, 0)
			if g.stop != nil {
				t.Error("a context is watched")
			}
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &canceler{}
				g.Cut = func() { g.cuts++ }
				g.first, g.cancelFirst = context.WithCancel(t.Context())
				g.second, g.cancelSecond = context.WithCancel(t.Context())
				test(t, g)
			})
		})
	}
}

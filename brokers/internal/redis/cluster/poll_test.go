package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// viewOf returns a view with the masters of thirds of the slots.
func viewOf(epoch int64, serves bool, masters ...string) *View {
	v := &View{Epoch: epoch, Serves: serves}
	for i, addr := range masters {
		v.Slots = append(v.Slots, redis.ClusterSlot{
			Start: i * Count / 3, End: (i+1)*Count/3 - 1,
			Nodes: []redis.ClusterNode{{Addr: addr}, {Addr: "replica of " + addr}},
		})
	}
	return v
}

func TestTheNewestViewOfMostMastersCounts(t *testing.T) {
	old, now := []string{"a", "b", "c"}, []string{"r", "b", "c"} // r was the replica of a
	for name, c := range map[string]struct {
		views map[string]*View
		want  string
		took  time.Duration
	}{
		"all agree":               {map[string]*View{"a": viewOf(3, true, old...), "b": viewOf(3, true, old...), "c": viewOf(3, true, old...)}, "a", 0},
		"cut off, and knows it":   {map[string]*View{"a": viewOf(3, false, old...), "b": viewOf(4, true, now...), "c": viewOf(4, true, now...)}, "r", 0},
		"cut off without knowing": {map[string]*View{"a": viewOf(3, true, old...), "b": viewOf(4, true, now...), "c": viewOf(4, true, now...)}, "r", 0},
		"another slot is away":    {map[string]*View{"a": viewOf(3, true, old...), "b": viewOf(4, false, now...), "c": viewOf(4, false, now...)}, "r", 0},
		"one hangs":               {map[string]*View{"a": viewOf(3, true, old...), "b": nil, "c": viewOf(4, true, now...), "r": viewOf(4, true, now...)}, "r", 0},
		"nobody names the other":  {map[string]*View{"a": viewOf(3, true, old...), "b": nil, "c": nil, "r": viewOf(4, true, now...)}, "a", limit},
		"alone":                   {map[string]*View{"a": viewOf(3, false, old...), "b": nil, "c": nil}, "a", limit},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := Slots{Seeds: []string{"a"}, Ask: func(ctx context.Context, addr string) (*View, error) {
					view := c.views[addr]
					if view == nil {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return view, nil
				}}
				began := time.Now()
				got, err := s.Masters(t.Context())
				if err != nil || got[0] != c.want {
					t.Errorf("masters %v, %v, want %s first", got, err, c.want)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
			})
		})
	}
}

// When the seed and all masters are gone, a replica is asked.
func TestReplicasAreAskedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("gone")
		views := map[string]*View{"a": viewOf(3, true, "a", "b", "c"), "b": viewOf(3, true, "a", "b", "c")}
		s := Slots{Seeds: []string{"a"}, Ask: func(_ context.Context, addr string) (*View, error) {
			if view := views[addr]; view != nil {
				return view, nil
			}
			return nil, gone
		}}
		if addr, err := s.Master(t.Context(), "foo"); err != nil || addr != "c" {
			t.Errorf("%s, %v", addr, err)
		}
		time.Sleep(fresh)
		synctest.Wait()
		views = map[string]*View{"replica of c": viewOf(5, true, "x", "y", "replica of c")}
		if addr, err := s.Master(t.Context(), "foo"); err != nil || addr != "replica of c" {
			t.Errorf("%s, %v", addr, err)
		}
		time.Sleep(fresh)
		synctest.Wait()
		views = nil
		if _, err := s.Master(t.Context(), "foo"); !errors.Is(err, gone) {
			t.Errorf("error %v, want %v", err, gone)
		}
	})
}

func TestReplicas(t *testing.T) {
	const nodes = `m1 127.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-5460
m2 127.0.0.1:7001@17001 master - 0 1426238316232 2 connected 5461-10922
r1 127.0.0.1:7002@17002,host slave m1 0 1426238316232 1 connected
r2 127.0.0.1:7003@17003 slave,fail m1 1426238316232 1426238315000 1 disconnected
r3 127.0.0.1:7004@17004 slave m2 0 1426238317239 2 connected

`
	for text, want := range map[string]int{nodes: 2, "": 0, "a b\n": 0} {
		if got := Replicas(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

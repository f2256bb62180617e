package run

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// A shelf is a system with a store.
type shelf struct {
	requester.Factory
	store requester.Store
}

func (s shelf) Store() requester.Store                            { return s.store }
func (s shelf) Audit(context.Context, func(payload []byte)) error { return nil }

// A store that cannot be where the target keeps it is refused; one that nothing is known of is not.
func TestAStoreThatDoesNotFit(t *testing.T) {
	on := func(until int64) plan.Cell { return plan.Cell{Shape: plan.Shape{UntilStore: until}} }
	k := &keeper{folders: []string{t.TempDir()}}
	var here, elsewhere Options
	here.Shared, here.Nodes = true, k
	for name, test := range map[string]struct {
		store requester.Store
		until int64
		o     Options
		want  string
	}{
		"disk":      {requester.Store{}, math.MaxInt64, here, "space below " + k.folders[0]},
		"memory":    {requester.Store{InMemory: true}, math.MaxInt64, here, "memory that are available"},
		"limited":   {requester.Store{Retention: 1 << 20}, math.MaxInt64, here, ""},
		"small":     {requester.Store{}, 1 << 20, here, ""},
		"elsewhere": {requester.Store{InMemory: true}, math.MaxInt64, elsewhere, ""},
		"unknown":   {requester.Store{}, math.MaxInt64, elsewhere, ""},
		"none":      {requester.Store{InMemory: true}, 0, here, ""},
	} {
		err := fits(shelf{store: test.store}, on(test.until), test.o)
		if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// listed are nodes that are known to keep data.
type listed struct {
	keeper

	nodes []plan.Node
}

func (l *listed) DataNodes() []plan.Node { return l.nodes }

// The memory limit of this process counts only for nodes that are its children.
func TestNodesThatAreChildren(t *testing.T) {
	child := plan.Node{Command: []string{"nats-server"}}
	for name, tt := range map[string]struct {
		nodes []plan.Node
		want  bool
	}{
		"none known":         {nil, false},
		"one child":          {[]plan.Node{child}, true},
		"one was found":      {[]plan.Node{child, {PID: 7}}, false},
		"a unit of systemd":  {[]plan.Node{{Unit: "redis"}}, false},
		"docker run":         {[]plan.Node{{Command: []string{"docker", "run", "redis"}}}, false},
		"a container's name": {[]plan.Node{{Command: []string{"start.sh"}, Container: "redis"}}, false},
	} {
		if got := areChildren(&listed{nodes: tt.nodes}); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
	if areChildren(nil) {
		t.Error("unknown nodes are no children")
	}
}

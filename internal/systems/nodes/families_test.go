package nodes

import (
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

// Families are known after the first sample, and lose a node's processes when it is killed.
func TestFamilies(t *testing.T) {
	s := newSystem(t, plan.System{Nodes: []plan.Node{node(t, "a", server), node(t, "b", server)}})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Sample(func() {})
	list := s.Families(func() {})
	if len(list) != 2 || list[0].Name != "a" || len(list[0].IDs) == 0 || len(list[1].IDs) == 0 || !list[1].IDs[0].Alive() {
		t.Fatalf("got %+v", list)
	}
	if err := s.Nodes[1].Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list := s.Families(func() {}); len(list[0].IDs) == 0 || len(list[1].IDs) > 0 {
		t.Errorf("a node was killed: %+v", list)
	}
}

package plan

import (
	"strings"
	"testing"
	"time"
)

func TestFaultsOfMembers(t *testing.T) {
	at := func(do FaultKind, node string, seconds int) Fault {
		return Fault{Do: do, Node: node, At: time.Duration(seconds) * time.Second}
	}
	groups := Topology{Topics: 1, Groups: 2, Members: 3}
	for name, c := range map[string]struct {
		topology Topology
		faults   []Fault
		want     string // in the error; "" for none
	}{
		"comes, goes and returns": {groups, []Fault{at(Join, "g1m2", 1), at(Kill, "g1m2", 2), at(Join, "g1m2", 3), at(Leave, "g1m2", 4)}, ""},
		"all leave":               {groups, []Fault{at(Leave, "g0m0", 1), at(Leave, "g0m1", 1), at(Kill, "g0m2", 1)}, ""},
		"twice":                   {groups, []Fault{at(Leave, "g0m0", 1), at(Kill, "g0m0", 2)}, "kill g0m0 at 2s: the member is not there then"},
		"at the same time":        {groups, []Fault{at(Leave, "g0m1", 2), at(Join, "g0m1", 2)}, "leave g0m1 at 2s and join g0m1 at 2s: a member has one fault at a time: give them different times"},
		"joins again":             {groups, []Fault{at(Join, "g0m0", 1), at(Join, "g0m0", 2)}, "join g0m0 at 2s: the member is there already then"},
		"no such group":           {groups, []Fault{at(Kill, "g2m0", 1)}, "kill g2m0 at 1s: there is no such member among 1 topic, 2 groups of 3, counted from 0"},
		"no such member":          {groups, []Fault{at(Leave, "g0m3", 1)}, "leave g0m3 at 1s: there is no such member"},
		"nobody at first":         {groups, []Fault{at(Join, "g0m0", 1), at(Join, "g0m1", 1), at(Join, "g0m2", 1)}, "group 0 has no member when the messages begin"},
		"a node":                  {groups, []Fault{at(Kill, Leader, 1)}, "groups of consumers and kill leader at 1s cannot be combined yet"},
		"no groups":               {Topology{}, []Fault{at(Kill, "g0m0", 1)}, "kill g0m0 at 1s: there are no groups of consumers"},
		"neither":                 {Topology{}, []Fault{at(Kill, Leader, 1)}, ""},
	} {
		err := Plan{Settings: Settings{Faults: c.faults}}.checkTopology(Shape{Connections: 1, Topology: c.topology})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestAFaultOfAMember(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  string // in the error; "" for none
	}{
		{Fault{Do: Leave, Node: "g0m1"}, ""},
		{Fault{Do: Kill, Node: "g12m34"}, ""},
		{Fault{Do: Join, Node: "2"}, `node "2" cannot join: want a member of a group of consumers, such as g0m1`},
		{Fault{Do: Leave, Node: "g01m1"}, `node "g01m1" cannot leave`},
		{Fault{Do: Leave, Node: "g0m1", For: time.Second}, "leave has no for"},
		{Fault{Do: Kill, Node: "g0m1", Restart: time.Second}, "g0m1 has no restart: it comes again with do: join"},
	} {
		err := c.fault.Validate(time.Minute)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.fault, err, c.want)
		}
	}
	if group, number := (Fault{Do: Kill, Node: "g12m34"}).Member(); group != 12 || number != 34 {
		t.Errorf("group %d, member %d", group, number)
	}
	if (Fault{Do: Kill, Node: "g0m1"}).EndsNode() || !(Fault{Do: Kill, Node: "1"}).EndsNode() || (Fault{Do: Stop, Node: "g0m1"}).OfMember() {
		t.Error("a member is no node")
	}
}

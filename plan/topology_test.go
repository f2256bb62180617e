package plan

import (
	"slices"
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
		"comes, goes and returns":  {groups, []Fault{at(Join, "g1m2", 1), at(Kill, "g1m2", 2), at(Join, "g1m2", 3), at(Leave, "g1m2", 4)}, ""},
		"all leave":                {groups, []Fault{at(Leave, "g0m0", 1), at(Leave, "g0m1", 1), at(Kill, "g0m2", 1)}, ""},
		"a group goes and returns": {groups, []Fault{at(Kill, "g0", 1), at(Join, "g0", 2), at(Leave, "g0m2", 3)}, ""},
		"a group without one":      {groups, []Fault{at(Leave, "g0m1", 1), at(Kill, "g0", 2)}, "kill g0 at 2s: member 1 is not there then"},
		"a group and a member":     {groups, []Fault{at(Leave, "g0", 1), at(Kill, "g0m2", 1)}, "leave g0 at 1s and kill g0m2 at 1s: a member has one fault at a time"},
		"no group at first":        {groups, []Fault{at(Join, "g1", 1)}, "group 1 has no member when the messages begin"},
		"group 2":                  {groups, []Fault{at(Kill, "g2", 1)}, "there is no such member among"},
		"twice":                    {groups, []Fault{at(Leave, "g0m0", 1), at(Kill, "g0m0", 2)}, "kill g0m0 at 2s: member 0 is not there then"},
		"at the same time":         {groups, []Fault{at(Leave, "g0m1", 2), at(Join, "g0m1", 2)}, "leave g0m1 at 2s and join g0m1 at 2s: a member has one fault at a time: give them different times"},
		"joins again":              {groups, []Fault{at(Join, "g0m0", 1), at(Join, "g0m0", 2)}, "join g0m0 at 2s: member 0 is there already then"},
		"no such group":            {groups, []Fault{at(Kill, "g2m0", 1)}, "kill g2m0 at 1s: there is no such member among 1 topic, 2 groups of 3, counted from 0"},
		"no such member":           {groups, []Fault{at(Leave, "g0m3", 1)}, "leave g0m3 at 1s: there is no such member"},
		"nobody at first":          {groups, []Fault{at(Join, "g0m0", 1), at(Join, "g0m1", 1), at(Join, "g0m2", 1)}, "group 0 has no member when the messages begin"},
		"a node":                   {groups, []Fault{at(Kill, Leader, 1), at(Kill, "g0m0", 1)}, ""},
		"consumers that pause":     {groups, []Fault{at(ConsumerPause, Consumers, 1)}, "groups of consumers and pause consumers at 1s cannot be combined yet"},
		"no groups":                {Topology{}, []Fault{at(Kill, "g0m0", 1)}, "kill g0m0 at 1s: there are no groups of consumers"},
		"neither":                  {Topology{}, []Fault{at(Kill, Leader, 1)}, ""},
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
		{Fault{Do: Join, Node: "2"}, `node "2" cannot join: want a group of consumers, such as g0, or a member of it, such as g0m1`},
		{Fault{Do: Leave, Node: "g01m1"}, `node "g01m1" cannot leave`},
		{Fault{Do: Leave, Node: "g0m1", For: time.Second}, "leave has no for"},
		{Fault{Do: Kill, Node: "g0m1", Restart: time.Second}, "g0m1 has no restart: it comes again with do: join"},
	} {
		err := c.fault.Validate(time.Minute)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.fault, err, c.want)
		}
	}
	for node, want := range map[string][]int{"g12m34": {34}, "g12": {0, 1, 2}} {
		if group, numbers := (Fault{Do: Kill, Node: node}).Members(3); group != 12 || !slices.Equal(numbers, want) {
			t.Errorf("%s: group %d, members %v", node, group, numbers)
		}
	}
	if (Fault{Do: Kill, Node: "g0m1"}).EndsNode() || !(Fault{Do: Kill, Node: "1"}).EndsNode() || (Fault{Do: Stop, Node: "g0m1"}).OfMember() {
		t.Error("a member is no node")
	}
}

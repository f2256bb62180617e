package config_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
)

func TestNodes(t *testing.T) {
	p, err := config.Parse("p", []byte(`
targets:
  - url: nats://h
  - url: nats://h
    name: run
    nodes:
      - {command: "nats-server  -c ${FILE}", address: "127.0.0.1:4222", ready-in: 90s, log: n1.log, dir: /srv, data: /srv/n1}
      - name: second
        command: [sh, -c, "exec nats-server # two words"]
        ready: [nc, -z, h, "4222"]
      - {pid: "${PID}"}
      - {pod: brokers/kafka-0}
      - {unit: nats, on: "ssh://bench@vm4:2222", data: /srv/n5}
`), config.Overrides{}, config.Options{Lookup: func(name string) (string, bool) {
		return map[string]string{"FILE": "n1.conf", "PID": "4711"}[name], true
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := &plan.System{Nodes: []plan.Node{
		{
			Name: "1", Command: []string{"nats-server", "-c", "n1.conf"}, Address: "127.0.0.1:4222", ReadyIn: 90 * time.Second,
			Log: "n1.log", Dir: "/srv", Data: "/srv/n1",
		},
		{Name: "second", Command: []string{"sh", "-c", "exec nats-server # two words"}, Ready: []string{"nc", "-z", "h", "4222"}},
		{Name: "3", PID: 4711},
		{Name: "4", Pod: "brokers/kafka-0"},
		{Name: "5", Unit: "nats", On: "ssh://bench@vm4:2222", Data: "/srv/n5"},
	}}
	if p.Targets[0].System != nil || !reflect.DeepEqual(p.Targets[1].System, want) {
		t.Errorf("got %+v\nwant %+v", p.Targets[1].System, want)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

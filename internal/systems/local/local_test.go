package local

import (
	"os"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for url, want := range map[string]Target{
		"local:nats":                              {Name: "nats", Nodes: 1},
		"local:redis,nodes=3":                     {Name: "redis", Nodes: 3},
		"local:redis-cluster":                     {Name: "redis-cluster", Nodes: 3},
		"local:kafka,durability=machine":          {Name: "kafka", Nodes: 1, Durability: "machine"},
		"local:nats,durability=node":              {Name: "nats", Nodes: 3, Durability: "node"},
		"local:nats?durability=node&stream=file":  {Name: "nats", Nodes: 3, Durability: "node", Query: "durability=node&stream=file"},
		"local:redis,network=namespaces":          {Name: "redis", Nodes: 1, Network: Namespaces},
		"local:kafka,keep=run":                    {Name: "kafka", Nodes: 1, Keep: KeepRun},
		"local:redis,data=1GiB?a=b":               {Name: "redis", Nodes: 1, Data: 1 << 30, Query: "a=b"},
		"local:rabbitmq,nodes=1?queue=quorum,x=1": {Name: "rabbitmq", Nodes: 1, Query: "queue=quorum,x=1"},
	} {
		if got, err := Parse(url); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", url, got, err, want)
		}
	}
	for _, url := range []string{"local:mqtt,nodes=3", "local:mqtt,durability=node", "local:redis-cluster,nodes=1", "local:nats,keep=yes", "local:nats,keep=run,network=namespaces"} {
		if got, err := Parse(url); err == nil {
			t.Errorf("%s: %+v, which is not provided", url, got)
		}
	}
}

// deploy/plans/everything.yaml measures every ready-made broker, all at the same level.
func TestThePlanOfEverythingHasEveryBroker(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/plans/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if url := "local:" + name + "?durability=accepted"; strings.Count(string(text), `"`+url+`"`) != 1 {
			t.Errorf("the plan does not name %s once", url)
		}
	}
}

// What is read is written so that it is read as the same.
func FuzzParse(f *testing.F) {
	for _, url := range []string{"local:nats", "local:kafka,nodes=3,durability=node?a=b", "local:,,", "local:nats,nodes=9", "local:nats,data=130.5MiB", "local:nats,network=namespaces", "local:nats,keep=run", "local:nats,=?", "local:nats?durability=%zz", "local:nats?durability=0", "local:nats?durability=as-set"} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		want, err := Parse(url)
		if err != nil {
			return
		}
		if got, err := Parse(want.String()); err != nil || got != want {
			t.Errorf("%q is %+v, and %q is %+v, %v", url, want, want, got, err)
		}
		_ = want.Sample()
	})
}

// The options of the target, and where the server is asked for its configuration, are in
// the URL, but for what it says itself.
func TestURL(t *testing.T) {
	said := []line{
		{"url", "amqp://guest:guest@127.0.0.1:1,127.0.0.1:2"},
		{"url_stream", "rabbitmq-stream://guest:guest@127.0.0.1:3"},
		{"url_management", "http://guest:guest@127.0.0.1:4"},
		{"url_monitor", "http://127.0.0.1:5"},
	}
	const management = "management=http%3A%2F%2F127.0.0.1%3A4"
	for target, want := range map[string]string{
		"local:artemis?durability=accepted":        "amqp://guest:guest@127.0.0.1:1,127.0.0.1:2?address={name}&durability=accepted",
		"local:artemis?address=dynamic":            "amqp://guest:guest@127.0.0.1:1,127.0.0.1:2?address=dynamic",
		"local:rabbitmq":                           "amqp://guest:guest@127.0.0.1:1,127.0.0.1:2?" + management,
		"local:rabbitmq?management=http://h:1&a=b": "amqp://guest:guest@127.0.0.1:1,127.0.0.1:2?management=http://h:1&a=b",
		"local:amqp1,durability=process":           "amqp1://guest:guest@127.0.0.1:1,127.0.0.1:2?" + management + "&durability=process",
		"local:rabbitmq-stream?durability=process": "rabbitmq-stream://guest:guest@127.0.0.1:3?" + management + "&durability=process",
		"local:redis":                              "amqp://guest:guest@127.0.0.1:1,127.0.0.1:2", // as the script says
	} {
		parsed, err := Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.url(said); got != want {
			t.Errorf("%s: got %s, want %s", target, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	said, note := lines("brokers: fetching\nurl\tx://h\nhelper\tepmd\nargument\tepmd\nnode\t1\ndir\t/d\nlog\t/d/l\nargument\ta b\nargument\t\naddress\th:1\nfront\th:1 h:2\ndata\t/d\nbrokers: that was all\n")
	if note != "that was all" {
		t.Errorf("the last note is %q", note)
	}
	s := read(said).System
	if len(s.Helpers) != 1 || len(s.Nodes) != 1 || strings.Join(s.Helpers[0].Command, "|") != "epmd" {
		t.Fatalf("%+v", s)
	}
	n := s.Nodes[0]
	if n.Name != "1" || n.Dir != "/d" || n.Log != "/d/l" || strings.Join(n.Command, "|") != "a b|" || n.Address != "h:1" || n.Fronts["h:1"] != "h:2" || n.Data != "/d" {
		t.Errorf("%+v", n)
	}
}

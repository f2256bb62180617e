package brokers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/requester"
)

func TestTheTableIsConsistent(t *testing.T) {
	schemes := make(map[string]string)
	for _, b := range brokers.All() {
		for _, scheme := range b.Schemes {
			if other, taken := schemes[scheme]; taken {
				t.Errorf("scheme %s belongs to %s and %s", scheme, other, b.Name)
			}
			schemes[scheme] = b.Name
			if b.Options == nil && b.Name == "exec" {
				continue // the words of its command are
			}
			if len(b.Options(scheme)) == 0 {
				t.Errorf("%s: no options for %s", b.Name, scheme)
			}
			for _, o := range b.Options(scheme) {
				if o.Name == "" || o.Doc == "" {
					t.Errorf("%s: option %+v is not documented", b.Name, o)
				}
			}
		}
		found, err := brokers.All().Parse(b.Example)
		if err != nil || found.Broker.Name != b.Name {
			t.Errorf("%s: its example %s belongs to %q, %v", b.Name, b.Example, found.Broker.Name, err)
		} else if _, err := found.Open("run"); err != nil {
			t.Errorf("%s: its example: %v", b.Name, err)
		}
		if again, err := brokers.All().ByName(b.Name); err != nil || again.Summary != b.Summary {
			t.Errorf("ByName(%s): %v", b.Name, err)
		}
	}
}

// Every option of every broker is refused when it is misspelt, with the command
// that lists them.
func TestMisspeltOptionsAreRefused(t *testing.T) {
	for _, b := range brokers.All() {
		scheme := b.Schemes[0]
		if b.Options == nil {
			continue // see TestABrokerWithoutOptionsRefusesThem
		}
		for _, o := range b.Options(scheme) {
			url := scheme + "://127.0.0.1?" + o.Name + "x=1"
			if b.Name == "loopback" {
				url = "loopback:?" + o.Name + "x=1"
			}
			if b.Name == "exec" {
				url = b.Example + " ?" + o.Name + "x=1"
			}
			_, err := brokers.All().Parse(url)
			if err == nil || !strings.Contains(err.Error(), `did you mean "`+o.Name+`"?`) || !strings.Contains(err.Error(), "brokerbench brokers "+b.Name+"`") {
				t.Errorf("%s: %v", url, err)
			}
		}
	}
}

// Every broker takes a side of an echo, or says why it does not.
func TestEchoes(t *testing.T) {
	for _, b := range brokers.All() {
		if b.Name == "exec" {
			continue // its program would have to be there
		}
		parsed, err := brokers.All().Parse(b.Example)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parsed.Open("r")
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := requester.As[requester.Echoer](f); ok {
			if err := e.TakeSide(requester.Caller); err != nil && b.Name != "http" && b.Name != "grpc" {
				t.Errorf("%s: %v", b.Name, err)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	if _, err := brokers.All().Parse("natz://h"); err == nil || !strings.Contains(err.Error(), `did you mean "nats"?`) {
		t.Errorf("natz: %v", err)
	}
	if _, err := brokers.All().ByName("rabbit"); err == nil || !strings.Contains(err.Error(), `did you mean "rabbitmq"?`) {
		t.Errorf("rabbit: %v", err)
	}
	if _, err := brokers.All().Parse("no url"); err == nil {
		t.Error("a text that is no URL is taken")
	}
	for _, options := range []string{"drop=2", "freeze=1s", "delay=-1s", "drop=x"} {
		if _, err := brokers.All().Parse("loopback:?" + options); err == nil {
			t.Errorf("loopback:?%s is taken", options)
		}
	}
}

// A host and port alone are told apart by the port, which is that of the broker's
// example.
func TestAnAddressWithoutAScheme(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:4222":           "target 127.0.0.1:4222 has no scheme: did you mean nats://127.0.0.1:4222?",
		"redis:6379":               "did you mean redis://redis:6379?",
		"[::1]:5672/vhost":         "did you mean amqp://[::1]:5672/vhost?",
		"h1:9092,h2:9092?acks=all": "did you mean kafka://h1:9092,h2:9092?acks=all?",
		"user:s3cret@h:5672":       "target user:xxxxx@h:5672 has no scheme: did you mean amqp://user:xxxxx@h:5672?",
		"localhost:1234":           "target localhost:1234 has no scheme: want SCHEME://localhost:1234 with one of nats, tls, ",
		"user:s3cret@h:1234":       "target user:xxxxx@h:1234 has no scheme: want SCHEME://user:xxxxx@h:1234",
		"natz://h:4222":            `unknown scheme "natz"`,
		"nats:h":                   "write // after the scheme",
	} {
		_, err := brokers.All().Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A broker's name stands for the one that the environment names, or that is here at its
// usual port.
func TestANameStandsForAURL(t *testing.T) {
	environ := map[string]string{"BROKERBENCH_REDIS_URL": "redis://h:1", "BROKERBENCH_KAFKA_URL": "kafka://h:2?acks=all", "BROKERBENCH_NATS_URL": "", "BROKERBENCH_RABBITMQ_STREAM_URL": "rabbitmq-stream://h:3"}
	lookup := func(name string) (string, bool) { value, ok := environ[name]; return value, ok }
	for text, want := range map[string]string{
		"nats": "nats://127.0.0.1:4222", "nats?stream=file": "nats://127.0.0.1:4222?stream=file",
		"redis": "redis://h:1", "redis?stream=read": "redis://h:1?stream=read", "kafka?linger=1ms": "kafka://h:2?acks=all&linger=1ms",
		"rabbitmq-stream": "rabbitmq-stream://h:3", "loopback": "loopback", "natz": "natz", "": "", "nats://h": "nats://h", "?": "?",
		"rabbitmq://u:p@h:1/v?durable=true": "amqp://u:p@h:1/v?durable=true", "rabbitmqs://h": "amqps://h", "rabbitmq": "amqp://guest:guest@127.0.0.1:5672", "mq": "mq",
		"RabbitMQ://h": "amqp://h", "natss://h": "natss://h",
	} {
		got := brokers.All().Usual(text, lookup)
		if got != want {
			t.Errorf("%q stands for %q, want %q", text, got, want)
		}
		if _, err := brokers.All().Parse(got); got != text && err != nil {
			t.Error(err)
		}
	}
}

func TestLocal(t *testing.T) {
	for url, want := range map[string]bool{
		"nats://127.0.0.1:4222": true, "kafka://localhost:1,[::1]:2": true, "loopback:": true,
		"nats://10.0.0.1": false, "kafka://localhost:1,broker:2": false,
	} {
		if target, err := brokers.All().Parse(url); err != nil || target.Local() != want {
			t.Errorf("%s: Local() is %v, want %v; %v", url, target.Local(), want, err)
		}
	}
}

// A parsed target can be opened for one run after the other, and is printed without
// its password or token.
func TestATargetIsParsedOnce(t *testing.T) {
	for url, want := range map[string]string{
		"nats://token@h":                    "nats://xxxxx@h",
		"redis://:pw@h/2?reconnect-wait=1s": "redis://:xxxxx@h/2?reconnect-wait=1s",
	} {
		target, err := brokers.All().Parse(url)
		if err != nil || target.String() != want {
			t.Errorf("%s is printed as %s, want %s; %v", url, target, want, err)
			continue
		}
		for _, run := range []string{"one", "two"} {
			if _, err := target.Open(run); err != nil {
				t.Errorf("%s: opening it for run %s: %v", url, run, err)
			}
		}
		if _, err := target.Open("not a name"); err == nil {
			t.Errorf("%s: a run that cannot be a part of a name is taken", url)
		}
	}
}

// A table of one's own is checked: a mistake in it is a programmer's.
func TestATableSaysItsMistakes(t *testing.T) {
	if err := brokers.All().Check(); err != nil {
		t.Errorf("brokerbench's own: %v", err)
	}
	open := brokers.All()[0].Open
	for says, b := range map[string]brokers.Broker{
		"want a Name, Schemes and Open":  {Name: "mine"},
		`"nats": the name is taken`:      {Name: "nats", Schemes: []string{"mine"}, Open: open},
		`scheme "amqp" belongs to "rabb`: {Name: "mine", Schemes: []string{"amqp"}, Open: open},
		"want lower case":                {Name: "mine", Schemes: []string{"Mine"}, Open: open},
	} {
		if err := append(brokers.All(), b).Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", b, err, says)
		}
	}
}

// A broker of one's own that has no options refuses them, with no code for that.
func TestABrokerWithoutOptionsRefusesThem(t *testing.T) {
	loopback, err := brokers.All().ByName("loopback")
	if err != nil {
		t.Fatal(err)
	}
	table := brokers.Table{{Name: "mine", Schemes: []string{"mine"}, Open: loopback.Open}}
	if _, err := table.Parse("mine://h"); err != nil {
		t.Error(err)
	}
	if _, err := table.Parse("mine://h?delay=1ms"); err == nil || !strings.Contains(err.Error(), "mine has no options") {
		t.Errorf("an option is taken: %v", err)
	}
	if _, err := table.Parse("nats://h"); err == nil || !strings.Contains(err.Error(), "there are mine") {
		t.Errorf("a broker that is not in the table is found: %v", err)
	}
}

// A command is no URL: what it holds is neither host nor option, and its secrets are not printed.
func TestACommandIsATarget(t *testing.T) {
	for text, want := range map[string]string{
		"exec:sh ./a redis://u:s3cret@h/1?db=2 --x=1": "exec:sh ./a redis://u:xxxxx@h/1?db=2 --x=1",
		"EXEC:sh 'b ?c=d'":                            "exec:sh 'b ?c=d'",
	} {
		target, err := brokers.All().Parse(text)
		if err != nil || target.String() != want || !target.Local() || len(target.Addresses()) > 0 {
			t.Errorf("%s is printed as %s, want %s; %v", text, target, want, err)
		}
	}
	for text, want := range map[string]string{
		"exec:sh ./a ?colour=red": `target exec:sh ./a ?colour=red: unknown option "colour"`,
		"exec:":                   "a command is missing",
	} {
		if _, err := brokers.All().Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func ExampleRedact() {
	fmt.Println(brokers.Redact("run amqp://user:secret@broker/vhost"))
	// Output: run amqp://user:xxxxx@broker/vhost
}

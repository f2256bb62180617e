package brokers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
)

func TestTheTableIsConsistent(t *testing.T) {
	schemes := make(map[string]string)
	for _, b := range brokers.All() {
		for _, scheme := range b.Schemes {
			if other, taken := schemes[scheme]; taken {
				t.Errorf("scheme %s belongs to %s and %s", scheme, other, b.Name)
			}
			schemes[scheme] = b.Name
			if len(b.Options(scheme)) == 0 {
				t.Errorf("%s: no options for %s", b.Name, scheme)
			}
			for _, o := range b.Options(scheme) {
				if o.Name == "" || o.Doc == "" {
					t.Errorf("%s: option %+v is not documented", b.Name, o)
				}
			}
		}
		if found, err := brokers.ForURL(b.Example); err != nil || found.Name != b.Name {
			t.Errorf("%s: its example %s belongs to %q, %v", b.Name, b.Example, found.Name, err)
		}
		if _, err := brokers.Open(b.Example, "run"); err != nil {
			t.Errorf("%s: its example: %v", b.Name, err)
		}
		if again, err := brokers.ByName(b.Name); err != nil || again.Summary != b.Summary {
			t.Errorf("ByName(%s): %v", b.Name, err)
		}
	}
}

// Every option of every broker is refused when it is misspelt, with the command
// that lists them.
func TestMisspeltOptionsAreRefused(t *testing.T) {
	for _, b := range brokers.All() {
		scheme := b.Schemes[0]
		for _, o := range b.Options(scheme) {
			url := scheme + "://127.0.0.1?" + o.Name + "x=1"
			if b.Name == "loopback" {
				url = "loopback:?" + o.Name + "x=1"
			}
			_, err := brokers.Open(url, "run")
			if err == nil || !strings.Contains(err.Error(), `did you mean "`+o.Name+`"?`) || !strings.Contains(err.Error(), "brokerbench brokers "+b.Name+"`") {
				t.Errorf("%s: %v", url, err)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	if _, err := brokers.Open("natz://h", "run"); err == nil || !strings.Contains(err.Error(), `did you mean "nats"?`) {
		t.Errorf("natz: %v", err)
	}
	if _, err := brokers.ByName("rabbit"); err == nil || !strings.Contains(err.Error(), `did you mean "rabbitmq"?`) {
		t.Errorf("rabbit: %v", err)
	}
	if _, err := brokers.Open("no url", "run"); err == nil {
		t.Error("a text that is no URL is taken")
	}
	for _, options := range []string{"drop=2", "freeze=1s", "delay=-1s", "drop=x"} {
		if _, err := brokers.Open("loopback:?"+options, "run"); err == nil {
			t.Errorf("loopback:?%s is taken", options)
		}
	}
}

func TestLocal(t *testing.T) {
	for url, want := range map[string]bool{
		"nats://127.0.0.1:4222": true, "kafka://localhost:1,[::1]:2": true, "loopback:": true,
		"nats://10.0.0.1": false, "kafka://localhost:1,broker:2": false, "no url": false,
	} {
		if got := brokers.Local(url); got != want {
			t.Errorf("Local(%s) = %v, want %v", url, got, want)
		}
	}
}

func ExampleRedact() {
	fmt.Println(brokers.Redact("run amqp://user:secret@broker/vhost"))
	// Output: run amqp://user:xxxxx@broker/vhost
}

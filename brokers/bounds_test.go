package brokers_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
)

func hasAll(text, parts string) bool {
	for part := range strings.SplitSeq(parts, "&") {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// Every broker that stores messages has its bound, unless the URL sets another.
func TestBounded(t *testing.T) {
	for url, want := range map[string]string{
		"nats://h:4222":                             "",
		"nats://h:4222?stream=file":                 "max-age=10m",
		"nats://h:4222?stream=file&max-age=1h":      "max-age=1h",
		"redis://h:6379":                            "",
		"redis://h:6379?stream=read&retention=8MiB": "retention=8MiB",
		"kafka://h:9092?retention=64MiB":            "retention=64MiB",
		"rabbitmq-stream://h:5552?retention=64MiB":  "retention=64MiB",
		"redis://h:6379?stream=group":               "max-len=10000",
		"valkey://h:6379?stream=read&max-len=7":     "max-len=7",
		"amqp://h:5672":                             "max-length=10000",
		"amqp1://h:5672":                            "max-length=10000",
		"rabbitmq-stream://h:5552":                  "max-length=67108864&segment-size=16777216",
		"kafka://h:9092":                            "max-age=10m",
		"mqtt://h:1883":                             "audit-session=false",
		"nsq://h:4150":                              "audit-channel=false",
		"postgres://h:5432/x":                       "audit-table=false",
		"loopback:":                                 "",
		"http://h/echo":                             "",
	} {
		target, err := brokers.All().Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		bounded, err := target.Bounded()
		if err != nil || !hasAll(bounded.String(), want) {
			t.Errorf("%s: %s, %v; want %s", url, bounded, err, want)
		}
		if again, err := bounded.Bounded(); err != nil || again.String() != bounded.String() {
			t.Errorf("%s: again %s, %v", url, again, err)
		}
	}
	for _, url := range []string{
		"nats://h:4222?stream=file&max-age=0s", "nats://h:4222?durability=machine", "redis://h:6379?stream=read&max-len=0", "amqp://h:5672?max-length=0",
		"amqp://h:5672?durability=process&exchange=fanout", "kafka://h:9092?max-age=0s", "mqtt://h:1883?qos=1&audit-session=true",
		"nsq://h:4150?audit-channel=true", "postgres://h:5432/x?audit-table=true", "amqp1://h:5672?address=q{number}", "rabbitmq-stream://h:5552?segment-size=0",
	} {
		target, err := brokers.All().Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if bounded, err := target.Bounded(); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %s, %v; want an error of one line", url, bounded, err)
		}
	}
}

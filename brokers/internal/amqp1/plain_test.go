package amqp1

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// others are the brokers other than RabbitMQ.
var others = []string{"ARTEMIS", "QPID"}

// addressed returns the factory for the URL of a running broker, with some options.
func addressed(t *testing.T, url, options string) *Plain {
	t.Helper()
	f, err := brokertest.Open("amqp1", brokertest.With(url, options), fmt.Sprintf("test-%x", time.Now().UnixNano()), NewFor)
	if err != nil {
		t.Fatal(err)
	}
	return f.(*Plain)
}

func TestOtherBrokersConform(t *testing.T) {
	for _, name := range others {
		for _, options := range []string{"address={name}", "address=dynamic", "address=brokerbench.q-{number}&confirm=true&accept=true", "address={name}&durability=accepted", "address={name}&durability=process&accept=true"} {
			t.Run(name+"/"+options, func(t *testing.T) {
				requestertest.Run(t, addressed(t, bare(brokertest.NewerURL(t, name)), options))
			})
		}
	}
}

// bare returns a URL without its options.
func bare(url string) string { url, _, _ = strings.Cut(url, "?"); return url }

func TestAddressIsChecked(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "amqp1", map[string][]string{
		"amqp1://h?address=q&queue-type=quorum&durable=1": {"queue-type is RabbitMQ's"},
		"amqp1://h?address=q&max-length=9":                {"max-length is RabbitMQ's"},
		"amqp1://h?address=dynamic&durable=true":          {"durable=true needs an address other than dynamic"},
		"amqp1://h?address=dynamic&durability=accepted":   {"durable=true needs an address other than dynamic"},
		"amqp1://h?address=q&single-active-consumer=1":    {"single-active-consumer is RabbitMQ's"},
	})
	for address, wantErr := range map[string]bool{"orders": true, "dynamic": false, "{name}": false, "bench-{number}": false} {
		if _, err := addressed(t, "amqp1://h", "address="+address).New(1, requester.Replies(func([]byte) {})); (err != nil) != wantErr {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAnotherBrokerIsNotTakenForRabbitMQ(t *testing.T) {
	for _, name := range others {
		f := factory(t, bare(brokertest.NewerURL(t, name)), "")
		if _, err := f.Describe(t.Context()); !errors.Is(err, errOther) {
			t.Errorf("%s: %v", name, err)
		} else {
			brokertest.WantFault(t, err, "address={name}")
		}
	}
}

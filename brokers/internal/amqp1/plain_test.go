package amqp1

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
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

// The options of queues are RabbitMQ's: other brokers have limits of their own.
func TestRemediesNameTheOptionsOfTheirBroker(t *testing.T) {
	const plain = "amqp1://h?address=q-{number}"
	full := &amqp.Error{Condition: amqp.ErrCondResourceLimitExceeded, Description: "address is full"}
	for _, tt := range []struct {
		at         string
		state      amqp.DeliveryState
		want       error
		has, hasNo string
	}{
		{"amqp1://h", &amqp.StateRejected{}, errRejected, "raise max-length", "the broker's"},
		{plain, &amqp.StateRejected{}, errRejected, "the broker's", "max-length"},
		{plain, &amqp.StateRejected{Error: full}, full, "raise the limit", "max-length"},
		{"amqp1://h", &amqp.StateReleased{}, errReleased, "another client deleted the queue", "create"},
		{plain, &amqp.StateReleased{}, errReleased, "create the queue", "deleted"},
	} {
		f, err := Open(tt.at, "run")
		if err != nil {
			t.Fatal(err)
		}
		err = f.explain("publishing", rejection(tt.state))
		brokertest.WantFault(t, err, "publishing", tt.has)
		if !errors.Is(err, tt.want) || strings.Contains(err.Error(), tt.hasNo) {
			t.Errorf("%s: %v; want %v, without %q", tt.at, err, tt.want, tt.hasNo)
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

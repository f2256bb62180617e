package kafka

import (
	"fmt"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/outage"
	"github.com/twmb/franz-go/pkg/kgo"
)

// hooks are what franz-go calls when something happens to a connection. A client has several sockets to each broker: they count as one.
type hooks struct {
	*outage.Log
	lastFetch string // what the last failed fetch said
}

var (
	_ kgo.HookBrokerConnect    = (*hooks)(nil)
	_ kgo.HookBrokerDisconnect = (*hooks)(nil)
)

// OnBrokerDisconnect implements [kgo.HookBrokerDisconnect].
func (h *hooks) OnBrokerDisconnect(meta kgo.BrokerMetadata, _ net.Conn) {
	h.Lost(address(meta), "disconnected from broker %s", address(meta))
}

// OnBrokerConnect implements [kgo.HookBrokerConnect]. It is also called, with
// the error, for an attempt that did not succeed.
func (h *hooks) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err == nil {
		h.Back(address(meta), "connected to broker %s again", address(meta))
	} else {
		h.Failed(address(meta), "connecting to broker %s: %v", address(meta), err)
	}
}

// fetchError notes an error that the consumer did not retry by itself. Repetitions
// in a row are one event. Only the goroutine that receives calls it.
func (h *hooks) fetchError(topic string, partition int32, err error) {
	text := fmt.Sprintf("fetching from topic %s, partition %d: %v", topic, partition, err)
	if text != h.lastFetch {
		h.lastFetch = text
		h.Note("%s", text)
	}
}

func address(meta kgo.BrokerMetadata) string {
	return net.JoinHostPort(meta.Host, fmt.Sprint(meta.Port))
}

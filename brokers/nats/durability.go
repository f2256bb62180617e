package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

// Levels returns how NATS keeps each level of durability.
func Levels() []target.Level {
	return []target.Level{
		{Durability: requester.None, Options: "stream=none", Note: "core NATS acknowledges nothing"},
		{Durability: requester.Accepted, Options: "stream=memory", Server: "JetStream", Asked: "when the stream is made"},
		{Durability: requester.Process, Options: "stream=file", Server: "JetStream with a store on a disk", Asked: "when the stream is made"},
		{Durability: requester.Machine, Options: "stream=file", Server: "jetstream { sync_interval: always }", Asked: "/jsz of the monitoring port", Note: "by default the server syncs every two minutes"},
		{Durability: requester.Node, Options: "stream=file&replicas=3", Server: "three servers in a cluster", Asked: "when the stream is made"},
	}
}

// backs returns the most that the options allow. A stream in memory is no more than
// accepted, however many replicas it has: when its servers restart, it is gone.
func (o *options) backs() requester.Durability {
	switch {
	case o.stream == streamNone:
		return requester.None
	case o.stream == streamMemory:
		return requester.Accepted
	case o.replicas >= 3:
		return requester.Node
	}
	return requester.Machine
}

// backing returns what options and server back together. A stream with replicas that the
// cluster is too small for is refused when it is made.
func (f *Factory) backing(ctx context.Context, client *nats.Conn) (*requester.Backing, error) {
	backs := f.options.backs()
	if backs != requester.Machine { // sync_interval does not matter
		return f.options.durable.Back(backs)
	}
	var limits []target.Limit
	for _, address := range f.monitored(client) {
		if limit := f.synced(ctx, address); limit != nil {
			limits = append(limits, *limit)
		}
	}
	return f.options.durable.Back(backs, limits...)
}

// monitored returns the URLs of the monitoring ports of the servers: one, if it is given.
func (f *Factory) monitored(client *nats.Conn) (list []string) {
	if f.options.monitoring != "" {
		return []string{f.options.monitoring}
	}
	host, _, err := net.SplitHostPort(client.ConnectedAddr())
	if err != nil {
		host = "localhost"
	}
	return []string{"http://" + net.JoinHostPort(host, "8222")}
}

// monitoringTimeout bounds the question to a monitoring port, answerLimit the bytes of the answer.
const (
	monitoringTimeout = 2 * time.Second
	answerLimit       = 1 << 20
)

// synced returns the limit of a server that does not write a message to its disk before it
// acknowledges it, or that cannot be asked; nil of one that does.
func (f *Factory) synced(ctx context.Context, address string) *target.Limit {
	always, every, err := askSync(ctx, address)
	switch {
	case err != nil:
		return &target.Limit{Level: requester.Process, Because: "sync_interval is not known: " + err.Error() + " (option monitoring)", Unknown: true}
	case !always:
		return &target.Limit{
			Level: requester.Process, Because: fmt.Sprintf("the server's sync_interval is %v", every),
			Remedy: "set jetstream { sync_interval: always } in its configuration",
		}
	}
	return nil
}

// askSync asks a monitoring port whether each message is written to the disk before it is
// acknowledged, or else how often all are.
func askSync(ctx context.Context, address string) (always bool, every time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, monitoringTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(address, "/")+"/jsz", http.NoBody)
	if err != nil {
		return false, 0, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return false, 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, 0, fmt.Errorf("%s: %s", request.URL.Redacted(), answer.Status)
	}
	var jsz struct {
		Disabled bool `json:"disabled"`
		Config   struct {
			Interval time.Duration `json:"sync_interval"`
			Always   bool          `json:"sync_always"`
		} `json:"config"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, answerLimit)).Decode(&jsz); err != nil {
		return false, 0, fmt.Errorf("%s: %w", request.URL.Redacted(), err)
	}
	return jsz.Config.Always, cmp.Or(jsz.Config.Interval, 2*time.Minute), nil
}

package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const clientModule = "github.com/nats-io/nats.go"

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("NATS", clientModule, nats.Version)
	err := f.with(ctx, f.Target, func(client *nats.Conn) (err error) {
		d.Version = client.ConnectedServerVersion()
		d.Timers = f.timers(ctx, client)
		d.Durability, err = f.backing(ctx, client, f.dropping(ctx, client)...)
		return err
	})
	return d, f.Explain("asking for what backs durability", err)
}

// Levels returns how NATS keeps each level of durability.
func Levels() []target.Level {
	return []target.Level{
		{Durability: requester.None, Options: "stream=none", Note: "core NATS acknowledges nothing"},
		{Durability: requester.Accepted, Options: "stream=memory", Server: "JetStream", Asked: "when the stream is made"},
		{Durability: requester.Process, Options: "stream=file", Server: "JetStream", Asked: "when the stream is made"},
		{Durability: requester.Machine, Options: "stream=file", Server: "jetstream { sync_interval: always }", Asked: "/jsz of the monitoring port", Note: "by default the server syncs every two minutes"},
		{Durability: requester.Node, Options: "stream=file&replicas=3", Server: "three servers in a cluster", Asked: "when the stream is made"},
	}
}

// backs returns the most that the options allow. A stream in memory is at most
// accepted, however many replicas it has: when its servers restart, it is gone.
func (o *options) backs() requester.Durability {
	switch {
	case o.stream == streamNone || o.maxAge > 0: // the server drops what it acknowledged
		return requester.None
	case o.stream == streamMemory:
		return requester.Accepted
	case o.replicas >= 3:
		return requester.Node
	}
	return requester.Machine
}

// backing returns what options and server back together, with limits of the stream. A stream with replicas that the
// cluster is too small for is refused when it is made.
func (f *Factory) backing(ctx context.Context, client *nats.Conn, limits ...target.Limit) (*requester.Backing, error) {
	backs, limits := f.options.backs(), append(limits, f.options.retention.Limits()...)
	if backs == requester.Machine { // else sync_interval does not matter
		limits = append(limits, f.synced(ctx, client)...)
	}
	return f.options.durable.Back(backs, limits...)
}

// dropping returns the limit of a stream that drops messages, although brokerbench made it without
// such a setting.
func (f *Factory) dropping(ctx context.Context, client *nats.Conn) []target.Limit {
	js, err := jetstream.New(client)
	if err != nil || !f.options.stores() || f.options.retention.Bytes() > 0 {
		return nil
	}
	stream, err := js.Stream(ctx, f.stream.Name)
	if err != nil { // it is made later; or it is gone, and the audit says so
		return nil
	}
	c := stream.CachedInfo().Config
	if c.MaxAge == 0 && c.MaxMsgsPerSubject <= 0 && (c.Discard == jetstream.DiscardNew || c.MaxMsgs <= 0 && c.MaxBytes <= 0) {
		return nil
	}
	return []target.Limit{{
		Level: requester.None, Because: fmt.Sprintf("stream %s was given a limit, and drops messages", f.stream.Name),
		Remedy: "set no max-age, no max-msgs-per-subject, and discard new",
	}}
}

// monitoringURL returns the URL of the server's monitoring port, or where that usually is.
func (f *Factory) monitoringURL(client *nats.Conn) string {
	if f.options.monitoring != "" {
		return strings.TrimSuffix(f.options.monitoring, "/")
	}
	host, _, err := net.SplitHostPort(client.ConnectedAddr())
	if err != nil {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, "8222")
}

// monitoringTimeout bounds the question to a monitoring port, answerLimit the bytes of the answer.
const (
	monitoringTimeout = 2 * time.Second
	answerLimit       = 1 << 20
)

// synced returns the limits of a server that does not write a message to its disk before it
// acknowledges it, or whose setting is not known: it cannot be asked, it is not the target's
// server, or it is one of several, and any of them may keep the stream.
func (f *Factory) synced(ctx context.Context, client *nats.Conn) []target.Limit {
	limit := func(because string) []target.Limit {
		return []target.Limit{{Level: requester.Process, Because: because, Unknown: true}}
	}
	address := f.monitoringURL(client)
	answer, err := askSync(ctx, address)
	id := client.ConnectedServerId()
	switch {
	case err != nil:
		return limit("sync_interval is not known: " + err.Error() + " (option monitoring)")
	case id != "" && answer.ID != id:
		return limit("sync_interval is not known: " + address + " is the monitoring port of another server (option monitoring)")
	case !answer.Config.Always:
		every := cmp.Or(answer.Config.Interval, 2*time.Minute)
		return []target.Limit{{
			Level: requester.Process, Because: fmt.Sprintf("the server's sync_interval is %v", every),
			Remedy: "set jetstream { sync_interval: always } in its configuration",
		}}
	case answer.Cluster.Size > 1:
		return limit(fmt.Sprintf("sync_interval is known for one of %d servers, and any of them may keep the stream", answer.Cluster.Size))
	}
	return nil
}

// jsz is what a monitoring port says about JetStream.
type jsz struct {
	ID     string `json:"server_id"`
	Config struct {
		Interval time.Duration `json:"sync_interval"`
		Always   bool          `json:"sync_always"` // each message is written to the disk before it is acknowledged
	} `json:"config"`
	Cluster struct {
		Size int `json:"cluster_size"`
	} `json:"meta_cluster"`
}

// timers asks the server when it gives up a silent connection. The timers of Raft, by which a stream gets
// another leader, are constants of the server, which no one can ask for.
func (f *Factory) timers(ctx context.Context, client *nats.Conn) []requester.Setting {
	if f.options.monitoring == "" {
		return nil
	}
	var answer struct {
		ID       string        `json:"server_id"`
		Interval time.Duration `json:"ping_interval"`
		Most     int           `json:"ping_max"`
	}
	err := monitored(ctx, f.monitoringURL(client)+"/varz", &answer)
	if err != nil || answer.Interval == 0 || answer.ID != client.ConnectedServerId() {
		return nil
	}
	return []requester.Setting{
		{Name: "ping_interval", Value: answer.Interval.String(), Doc: "the server's"},
		{Name: "ping_max", Value: strconv.Itoa(answer.Most), Doc: "the server's: so many unanswered pings end a connection"},
	}
}

// askSync asks a monitoring port.
func askSync(ctx context.Context, address string) (answer jsz, err error) {
	err = monitored(ctx, address+"/jsz", &answer)
	return answer, err
}

// monitored reads the answer of a monitoring port. It does not go where a redirection leads.
func monitored(ctx context.Context, url string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, monitoringTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: stay}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", request.URL, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, answerLimit)).Decode(answer); err != nil {
		return fmt.Errorf("%s: %w", request.URL, err)
	}
	return nil
}

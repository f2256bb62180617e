package nsq

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	clientModule = "github.com/nsqio/go-nsq"
	askTime      = 5 * time.Second // for one question over HTTP
)

var (
	errHTTP      = errors.New("nsqd's HTTP interface (option http)")
	errHandshake = errors.New("shaking hands")
	errTLS       = errors.New("nsqd requires TLS")
	errNoTLS     = errors.New("nsqd has no TLS")
	errOld       = errors.New("nsqd is older than 1.0")
	errTopic     = errors.New("another run has this name: its topic is there")
)

// ask asks nsqd over HTTP, and returns the answer.
func (f *Factory) ask(ctx context.Context, method, path string, query url.Values) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	host, _, _ := net.SplitHostPort(f.Target.Addrs(port)[0])
	at := cmp.Or(f.options.http, "http://"+net.JoinHostPort(host, "4151"))
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(at, "/")+path+"?"+query.Encode(), nil)
	var body []byte
	if err == nil {
		body, err = f.answer(request)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errHTTP, err)
	}
	return body, nil
}

// answer returns the body of the answer to a request.
func (f *Factory) answer(request *http.Request) ([]byte, error) {
	config, err := f.options.tls.Config()
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %.200s", request.Method, request.URL.Path, answer.Status, body)
	}
	return body, err
}

// makeTopic creates a topic with its channels: a message that came before its channel would be in the others only.
func (f *Factory) makeTopic(ctx context.Context, s *leftover.Shared) error {
	err := f.create(ctx, s)
	return f.Explain("creating topic "+s.Name, target.Because(ctx, err))
}

func (f *Factory) create(ctx context.Context, t *leftover.Shared) error {
	stats, err := f.stats(ctx, t.Name)
	if err != nil {
		return err
	}
	if len(stats) > 0 {
		return errTopic
	}
	t.Set(true)
	query := url.Values{"topic": {t.Name}}
	if _, err := f.ask(ctx, http.MethodPost, "/topic/create", query); err != nil {
		return err
	}
	for _, name := range f.channels() {
		query.Set("channel", name)
		if _, err := f.ask(ctx, http.MethodPost, "/channel/create", query); err != nil {
			return err
		}
	}
	return nil
}

// channels returns those of every topic.
func (f *Factory) channels() (names []string) {
	if f.topology.Own() {
		names = []string{channel}
	}
	for group := range f.topology.Groups {
		names = append(names, groupChannel(group))
	}
	if f.options.auditChannel {
		names = append(names, auditChannel)
	}
	return names
}

// remove deletes a topic with its channels and messages. A topic that is gone is no error.
func (f *Factory) remove(ctx context.Context, name string) error {
	_, err := f.ask(ctx, http.MethodPost, "/topic/delete", url.Values{"topic": {name}})
	if err != nil && strings.Contains(err.Error(), "TOPIC_NOT_FOUND") {
		err = nil
	}
	return f.Explain("deleting topic "+name, err)
}

// A topicStats has the counters of a topic.
type topicStats struct {
	Name     string `json:"topic_name"`
	Messages int64  `json:"message_count"`
	Depth    int64  `json:"depth"` // messages that are not in the channels yet
	Channels []struct {
		Name     string `json:"channel_name"`
		Clients  int    `json:"client_count"`
		Depth    int64  `json:"depth"`
		InFlight int64  `json:"in_flight_count"`
		Deferred int64  `json:"deferred_count"`
	} `json:"channels"`
}

// holds returns the number of messages that wait for a channel, or were delivered and are not finished; ok is false
// if the channel is not there.
func (t topicStats) holds(channel string) (n int64, ok bool) {
	for _, c := range t.Channels {
		if c.Name == channel {
			return t.Depth + c.Depth + c.InFlight + c.Deferred, true
		}
	}
	return 0, false
}

// stats asks for a topic, or for all with the name "".
func (f *Factory) stats(ctx context.Context, name string) ([]topicStats, error) {
	query := url.Values{"format": {"json"}, "include_clients": {"false"}, "include_mem": {"false"}}
	if name != "" {
		query.Set("topic", name)
	}
	body, err := f.ask(ctx, http.MethodGet, "/stats", query)
	if err != nil {
		return nil, err
	}
	var all struct {
		Topics []topicStats `json:"topics"`
	}
	return all.Topics, read(body, &all)
}

// read reads an answer in JSON. nsqd before 1.0 wraps it.
func read(body []byte, answer any) error {
	var wrapped struct {
		Status int `json:"status_code"`
	}
	err := json.Unmarshal(body, &wrapped)
	if err == nil && wrapped.Status != 0 {
		return errOld
	}
	if err == nil {
		err = json.Unmarshal(body, answer)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errHTTP, err)
	}
	return nil
}

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("NSQ", clientModule, "")
	body, err := f.ask(ctx, http.MethodGet, "/info", nil)
	var info struct {
		Version string `json:"version"`
	}
	if err == nil {
		err = read(body, &info)
	}
	if err != nil {
		return d, f.Explain("connecting", target.Because(ctx, err))
	}
	d.Version = info.Version
	d.Durability, err = f.options.durability.Back(requester.Accepted)
	return d, f.Explain("asking for what backs durability", err)
}

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string { return transport.Left(&f.topics) }

// Find implements [requester.Sweeper]. A topic is in use while it has consumers, or messages are published.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) (found []requester.Leftover, _ string, err error) {
	clients := make(map[string]int)
	found, err = leftover.Watch(ctx, "topic", func() (map[string]leftover.Seen, error) {
		topics, err := f.stats(ctx, "")
		seen := make(map[string]leftover.Seen)
		for _, t := range topics {
			if leftover.Wants(q, t.Name) {
				seen[t.Name] = leftover.Seen{State: fmt.Sprint(t.Messages)}
				for _, c := range t.Channels {
					clients[t.Name] += c.Clients
				}
			}
		}
		return seen, err
	})
	for i := range found {
		if clients[found[i].Name] > 0 {
			found[i].Busy = "it has consumers"
		}
	}
	return found, "", f.Explain("looking for topics", target.Because(ctx, err))
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, leftovers []requester.Leftover) (errs []error) {
	for _, l := range leftovers {
		errs = append(errs, f.remove(ctx, l.Name))
	}
	return errs
}

var remedies = target.Remedies{
	{Text: "TOPIC_NOT_FOUND", Remedy: "somebody deleted the topic: run again"},
	{Err: errTopic, Remedy: "run again; or is it left? `brokerbench clean` removes it"},
	{Text: "Auth Required", Remedy: "put the secret into the URL: nsq://:SECRET@host"},
	{Text: "E_AUTH_FAILED", Remedy: "correct the secret in the URL"},
	{Text: "E_UNAUTHORIZED", Remedy: "permit topics that begin with brokerbench. to that secret"},
	{Text: "E_BAD_MESSAGE", Remedy: "send smaller messages, or start nsqd with a larger --max-msg-size"},
	{Text: "E_BAD_BODY", Remedy: "start nsqd with larger limits: --max-heartbeat-interval, --max-output-buffer-timeout, --max-msg-timeout"},
	{Err: errOld, Remedy: "use NSQ 1.0 or later"},
	{Err: errTLS, Remedy: "use nsq+tls://"},
	{Err: errNoTLS, Remedy: "use nsq://, or start nsqd with --tls-cert and --tls-key"},
	{Text: "certificate", Remedy: "name the authority that signed it with the option tls-ca"},
	{Err: errHandshake, Remedy: "is it nsqd, and its TCP port (4150) and not the one for HTTP? does it require TLS?"},
	{Text: "IO error", Remedy: "look into the log of nsqd: a message above --max-msg-size ends the connection, too"},
	{Err: transport.ErrNotBack, Remedy: "look into the log of nsqd"},
	{Err: requester.ErrStoreGone, Remedy: "somebody deleted the topic"},
}

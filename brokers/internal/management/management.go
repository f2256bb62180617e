// Package management asks RabbitMQ's management API what no protocol of its clients tells:
// which queues, streams and exchanges there are.
package management

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	timeout = 5 * time.Second
	limit   = 64 << 20 // bytes of an answer
)

// An API is the management API of a broker, for one vhost.
type API struct {
	Base                  string   // its URL; "": where the API of the first of Addrs usually is
	Addrs                 []string // host and port of the nodes, as the broker's clients know them
	Encrypted             bool     // clients speak TLS with them
	User, Password, Vhost string
	TLS                   *tls.Config
}

// bases returns the URL of the API, and those at which the APIs of the other nodes usually are.
func (a API) bases() (all []string) {
	for _, addr := range a.Addrs {
		host, _, _ := net.SplitHostPort(addr)
		if a.Encrypted {
			all = append(all, "https://"+net.JoinHostPort(host, "15671"))
		} else {
			all = append(all, "http://"+net.JoinHostPort(host, "15672"))
		}
	}
	if a.Base != "" {
		all = append([]string{a.Base}, all[min(1, len(all)):]...)
	}
	return all
}

// A Thing is a queue, a stream or an exchange as the API describes it.
type Thing struct {
	Name      string `json:"name"`
	Type      string `json:"type"` // of a queue, such as "stream"
	Consumers int    `json:"consumers"`
	IdleSince string `json:"idle_since"`
}

// Queues returns all queues of the vhost, and streams, which are queues of a type.
func (a API) Queues(ctx context.Context) ([]Thing, error) {
	return list[Thing](ctx, a, a.ofVhost("queues"), "name,type,consumers,idle_since")
}

// Unacknowledged returns how many messages of each queue of the vhost are with consumers that
// have not acknowledged them. The numbers are those of the last statistics, up to 5 s old; a
// queue that has none is not among them.
func (a API) Unacknowledged(ctx context.Context) (map[string]int, error) {
	type queue struct {
		Name           string `json:"name"`
		Unacknowledged *int   `json:"messages_unacknowledged"`
	}
	queues, err := list[queue](ctx, a, a.ofVhost("queues"), "name,messages_unacknowledged")
	known := make(map[string]int)
	for _, q := range queues {
		if q.Unacknowledged != nil {
			known[q.Name] = *q.Unacknowledged
		}
	}
	return known, err
}

// Exchanges returns all exchanges of the vhost.
func (a API) Exchanges(ctx context.Context) ([]Thing, error) {
	return list[Thing](ctx, a, a.ofVhost("exchanges"), "name")
}

// Running returns how many nodes of the cluster run.
func (a API) Running(ctx context.Context) (running int, err error) {
	nodes, err := list[struct{ Running bool }](ctx, a, "nodes", "running")
	for _, node := range nodes {
		if node.Running {
			running++
		}
	}
	return running, err
}

// A Copies is a queue or stream as to who has it.
type Copies struct {
	Type    string   `json:"type"`
	Node    string   `json:"node"`   // the name of the node that has a classic queue
	Leader  string   `json:"leader"` // and of the one that leads another; of a stream that is Node
	Members []string `json:"members"`
	Online  []string `json:"online"`
}

// Copies returns who has a queue or stream of the vhost. Statistics may be seconds old, and are
// asked for only where nothing else tells the members: of streams, in 3.10.
func (a API) Copies(ctx context.Context, name string) (c Copies, err error) {
	const columns = "columns=type,node,leader,members,online"
	path := a.ofVhost("queues") + "/" + url.PathEscape(name)
	c, err = get[Copies](ctx, a, path, "disable_stats=true&"+columns)
	if err != nil || c.Type == "classic" || len(c.Members) > 0 {
		return c, err
	}
	known, err := get[Copies](ctx, a, path, columns)
	c.Members, c.Online = known.Members, known.Online
	return c, err
}

// A Listener is where a node takes connections of a protocol.
type Listener struct {
	Node     string `json:"node"`
	Protocol string `json:"protocol"` // such as "amqp", "amqp/ssl", "stream" or "http"
	IP       string `json:"ip_address"`
	Port     int    `json:"port"`
}

// Address returns host and port of the listener. One that listens at all addresses is at the
// host of its node's name.
func (l Listener) Address() string {
	host := l.IP
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		_, host, _ = strings.Cut(l.Node, "@")
	}
	return net.JoinHostPort(host, strconv.Itoa(l.Port))
}

// Listeners returns the listeners of the nodes that run.
func (a API) Listeners(ctx context.Context) ([]Listener, error) {
	said, err := get[struct{ Listeners []Listener }](ctx, a, "overview", "columns=listeners")
	return said.Listeners, err
}

// ofVhost returns the path of a kind of thing in the vhost.
func (a API) ofVhost(kind string) string { return kind + "/" + url.PathEscape(a.Vhost) }

// Used returns since when a queue is idle. The API leaves that out while it is used,
// and writes it in several ways.
func (t Thing) Used() time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04:05 MST"} {
		if at, err := time.Parse(layout, t.IdleSince); err == nil {
			return at
		}
	}
	return time.Now()
}

// list gets columns of a list.
func list[T any](ctx context.Context, a API, kind, columns string) ([]T, error) {
	return get[[]T](ctx, a, kind, "columns="+columns)
}

// get gets what is at a path.
func get[T any](ctx context.Context, a API, path, query string) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := strings.TrimSuffix(a.bases()[0], "/") + "/api/" + path + "?" + query
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return answer, errors.New("its URL cannot be read") // err quotes it, and what it holds
	}
	request.SetBasicAuth(a.User, a.Password)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: a.TLS, DisableKeepAlives: true}}
	said, err := client.Do(request)
	if err != nil {
		return answer, err
	}
	defer said.Body.Close()
	if said.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("%s: %s", request.URL.Redacted(), said.Status)
	}
	return decode[T](said.Body, limit)
}

// decode reads an answer of at most limit bytes.
func decode[T any](r io.Reader, limit int64) (answer T, err error) {
	bounded := &io.LimitedReader{R: r, N: limit + 1}
	err = json.NewDecoder(bounded).Decode(&answer)
	if bounded.N <= 0 {
		var none T
		return none, fmt.Errorf("its answer is longer than %d MiB, the most that is read", limit>>20)
	}
	return answer, err
}

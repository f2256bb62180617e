// Package management holds what the three protocols of RabbitMQ share: their options, the
// remedies for their errors, and the management API, which reports what no protocol does: the
// queues, streams and exchanges of a vhost, their leaders, and the policies in force.
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
	Base                  string   // its URL; "": the usual port of the first of Addrs
	Addrs                 []string // host and port of the nodes, as clients of the broker use them
	Encrypted             bool     // clients use TLS
	User, Password, Vhost string
	TLS                   *tls.Config
}

// bases returns the URL of the API, and the usual ones of the other nodes.
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

// An object is a queue, a stream or an exchange.
type object struct {
	Name           string `json:"name"`
	Type           string `json:"type"` // of a queue, such as "stream"
	Consumers      int    `json:"consumers"`
	IdleSince      string `json:"idle_since"`
	Unacknowledged *int   `json:"messages_unacknowledged"`
}

// queues returns all queues of the vhost, and streams, which are queues of a type.
func (a API) queues(ctx context.Context) ([]object, error) {
	return list[object](ctx, a, a.ofVhost("queues"), "name,type,consumers,idle_since")
}

// exchanges returns all exchanges of the vhost.
func (a API) exchanges(ctx context.Context) ([]object, error) {
	return list[object](ctx, a, a.ofVhost("exchanges"), "name")
}

// unacknowledged returns how many messages of each queue of the vhost are with consumers that
// have not acknowledged them. The numbers are from the last statistics, up to 5 s old; queues
// without statistics are left out.
func (a API) unacknowledged(ctx context.Context) (map[string]int, error) {
	queues, err := list[object](ctx, a, a.ofVhost("queues"), "name,messages_unacknowledged")
	known := make(map[string]int)
	for _, q := range queues {
		if q.Unacknowledged != nil {
			known[q.Name] = *q.Unacknowledged
		}
	}
	return known, err
}

// nodes returns how many nodes the cluster has, and how many of them run.
func (a API) nodes(ctx context.Context) (known, running int, err error) {
	nodes, err := list[struct{ Running bool }](ctx, a, "nodes", "running")
	for _, node := range nodes {
		if node.Running {
			running++
		}
	}
	return len(nodes), running, err
}

// Product returns the name and the version of the broker.
func (a API) Product(ctx context.Context) (name, version string, err error) {
	answer, err := get[struct {
		Name    string `json:"product_name"`
		Version string `json:"product_version"`
	}](ctx, a, "overview", "columns=product_name,product_version")
	return answer.Name, answer.Version, err
}

// ticktime returns how soon a node notices that another one is silent; "" if the API does not report it.
func (a API) ticktime(ctx context.Context) (string, error) {
	nodes, err := list[struct {
		Ticktime json.Number `json:"net_ticktime"`
	}](ctx, a, "nodes", "net_ticktime")
	for _, node := range nodes {
		if node.Ticktime != "" {
			return node.Ticktime.String() + "s", nil
		}
	}
	return "", err
}

// members are the nodes that have a queue or stream.
type members struct {
	Type    string   `json:"type"`
	Node    string   `json:"node"`   // the name of the node that has a classic queue or leads a stream
	Leader  string   `json:"leader"` // the name of the node that leads another queue
	Members []string `json:"members"`
	Online  []string `json:"online"`
}

// members returns the nodes that have a queue or stream of the vhost. Statistics may be seconds
// old, so they are requested only where the members are not known otherwise: streams in 3.10.
func (a API) members(ctx context.Context, name string) (m members, err error) {
	const columns = "columns=type,node,leader,members,online"
	path := a.ofVhost("queues") + "/" + url.PathEscape(name)
	m, err = get[members](ctx, a, path, "disable_stats=true&"+columns)
	if err != nil || m.Type == "classic" || len(m.Members) > 0 {
		return m, err
	}
	known, err := get[members](ctx, a, path, columns)
	m.Members, m.Online = known.Members, known.Online
	return m, err
}

// A listener is where a node accepts connections of a protocol.
type listener struct {
	Node     string `json:"node"`
	Protocol string `json:"protocol"` // such as "amqp", "amqp/ssl", "stream" or "http"
	IP       string `json:"ip_address"`
	Port     int    `json:"port"`
}

// address returns host and port of the listener. If it listens on all addresses, the host is
// the one in its node's name.
func (l listener) address() string {
	host := l.IP
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		_, host, _ = strings.Cut(l.Node, "@")
	}
	return net.JoinHostPort(host, strconv.Itoa(l.Port))
}

// listeners returns the listeners of the nodes that run.
func (a API) listeners(ctx context.Context) ([]listener, error) {
	overview, err := get[struct{ Listeners []listener }](ctx, a, "overview", "columns=listeners")
	return overview.Listeners, err
}

// ofVhost returns the path of the objects of a kind in the vhost.
func (a API) ofVhost(kind string) string { return kind + "/" + url.PathEscape(a.Vhost) }

// used returns since when a queue has been idle. The API leaves that out while the queue is
// used, and writes it in several formats. Of streams 3.10 and 4.0 never report it: zero.
func (o object) used() time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04:05 MST"} {
		if at, err := time.Parse(layout, o.IdleSince); err == nil {
			return at
		}
	}
	if o.IdleSince == "" && o.Type == "stream" {
		return time.Time{}
	}
	return time.Now()
}

// list gets columns of a list.
func list[T any](ctx context.Context, a API, kind, columns string) ([]T, error) {
	return get[[]T](ctx, a, kind, "columns="+columns)
}

// get gets the answer for a path. The API may answer 500 while a queue that it lists is being
// removed, so an error of the server is asked again, twice at most.
func get[T any](ctx context.Context, a API, path, query string) (answer T, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause *= 5 {
		var failed bool
		if answer, failed, err = getOnce[T](ctx, a, path, query); !failed || pause > time.Second {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(pause):
		}
	}
}

// getOnce asks once; failed: the server answered that it failed.
func getOnce[T any](ctx context.Context, a API, path, query string) (answer T, failed bool, err error) {
	address := strings.TrimSuffix(a.bases()[0], "/") + "/api/" + path + "?" + query
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return answer, false, errors.New("its URL cannot be read") // err quotes the URL, with its secrets
	}
	request.SetBasicAuth(a.User, a.Password)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: a.TLS, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return answer, false, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return answer, response.StatusCode >= http.StatusInternalServerError, fmt.Errorf("%s: %s", request.URL.Redacted(), response.Status)
	}
	answer, err = decode[T](response.Body, limit)
	return answer, false, err
}

// decode reads an answer of at most limit bytes.
func decode[T any](r io.Reader, limit int64) (answer T, err error) {
	bounded := &io.LimitedReader{R: r, N: limit + 1}
	err = json.NewDecoder(bounded).Decode(&answer)
	if bounded.N <= 0 {
		var none T
		return none, fmt.Errorf("its answer is longer than the limit of %d MiB", limit>>20)
	}
	return answer, err
}

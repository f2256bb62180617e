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
	"strings"
	"time"
)

const (
	timeout = 5 * time.Second
	limit   = 64 << 20 // bytes of an answer
)

// An API is the management API of a broker, for one vhost.
type API struct {
	Base                  string // its URL
	User, Password, Vhost string
	TLS                   *tls.Config
}

// Usual returns the URL at which the API of the broker at host:port usually is.
func Usual(addr string, encrypted bool) string {
	host, _, _ := net.SplitHostPort(addr)
	if encrypted {
		return "https://" + net.JoinHostPort(host, "15671")
	}
	return "http://" + net.JoinHostPort(host, "15672")
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
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := strings.TrimSuffix(a.Base, "/") + "/api/" + kind + "?columns=" + columns
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, errors.New("its URL cannot be read") // err quotes it, and what it holds
	}
	request.SetBasicAuth(a.User, a.Password)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: a.TLS, DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", request.URL.Redacted(), answer.Status)
	}
	return decode[T](answer.Body, limit)
}

// decode reads a list of at most limit bytes.
func decode[T any](r io.Reader, limit int64) (list []T, err error) {
	bounded := &io.LimitedReader{R: r, N: limit + 1}
	err = json.NewDecoder(bounded).Decode(&list)
	if bounded.N <= 0 {
		return nil, fmt.Errorf("its answer is longer than %d MiB, the most that is read", limit>>20)
	}
	return list, err
}

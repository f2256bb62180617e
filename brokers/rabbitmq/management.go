package rabbitmq

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
)

const (
	managementTimeout = 5 * time.Second
	managementLimit   = 64 << 20 // bytes of an answer
)

// A managed is a queue or an exchange as the management API describes it.
type managed struct {
	Name      string `json:"name"`
	Consumers int    `json:"consumers"`
	IdleSince string `json:"idle_since"`
}

// list asks the management API for queues and exchanges. An exchange that has a
// queue goes with it, and is not listed. Exchanges are asked for first: a run that
// begins makes its queue before its exchange, so that the queue of each exchange that
// is listed is in the later list.
func (f *Factory) list(ctx context.Context, q leftover.Query) (things []leftover.Thing, err error) {
	var queues, exchanges []managed
	if err := f.manage(ctx, q.Management, f.ofVhost("exchanges"), "name", &exchanges); err != nil {
		return nil, err
	}
	if err := f.manage(ctx, q.Management, f.ofVhost("queues"), "name,consumers,idle_since", &queues); err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, m := range queues {
		if known[m.Name] = true; q.Wants(m.Name) {
			things = append(things, leftover.Thing{Kind: "queue", Name: m.Name, Used: m.used(), Busy: consumed(m.Consumers)})
		}
	}
	for _, m := range exchanges {
		if !known[m.Name] && q.Wants(m.Name) {
			things = append(things, leftover.Thing{Kind: "exchange", Name: m.Name})
		}
	}
	return things, nil
}

// used returns since when a queue is idle. The API leaves that out while it is used,
// and writes it in several ways.
func (m managed) used() time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04:05 MST"} {
		if at, err := time.Parse(layout, m.IdleSince); err == nil {
			return at
		}
	}
	return time.Now()
}

// ofVhost returns the path of a kind of thing in the vhost.
func (f *Factory) ofVhost(kind string) string { return kind + "/" + url.PathEscape(f.vhost()) }

// manage gets columns of a list from the management API at base, or where the options say
// that it is.
func (f *Factory) manage(ctx context.Context, base, kind, columns string, list any) error {
	ctx, cancel := context.WithTimeout(ctx, managementTimeout)
	defer cancel()
	address := strings.TrimSuffix(cmp.Or(base, f.options.management, f.management()), "/") + "/api/" + kind + "?columns=" + columns
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return errors.New("its URL cannot be read") // err quotes it, and what it holds
	}
	user := f.user()
	request.SetBasicAuth(user.Username, user.Password)
	config, err := f.options.tls.Config()
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", request.URL.Redacted(), answer.Status)
	}
	return decode(answer.Body, managementLimit, list)
}

// decode reads a list of at most limit bytes.
func decode(r io.Reader, limit int64, list any) error {
	bounded := &io.LimitedReader{R: r, N: limit + 1}
	err := json.NewDecoder(bounded).Decode(list)
	if bounded.N <= 0 {
		return fmt.Errorf("its answer is longer than %d MiB, the most that is read", limit>>20)
	}
	return err
}

// management returns where the management API usually is.
func (f *Factory) management() string {
	host, _, _ := net.SplitHostPort(f.target.Addrs("5672")[0])
	if f.encrypted() {
		return "https://" + net.JoinHostPort(host, "15671")
	}
	return "http://" + net.JoinHostPort(host, "15672")
}

package nats

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats-server/v2/server"
)

func TestDurabilitySetsOptions(t *testing.T) { brokertest.LevelsOpen(t, Open, "nats://h", Levels()) }

func TestDurabilityIsRefused(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "nats", map[string][]string{
		"nats://h?durability=process&stream=memory":                              {"the other options back accepted at most; it needs stream=file"},
		"nats://h?durability=node&replicas=1":                                    {"the other options back machine at most; it needs replicas=3, stream=file"},
		"nats://h?durability=machine&stream=none":                                {"the other options back none at most"},
		"nats://h?durability=disk":                                               {"want as-set, none, accepted, process, machine, node"},
		"nats://h?stream=memory&replicas=3&durability=node":                      {"back accepted at most"},
		"nats://h?monitoring=m:8222":                                             {"option monitoring: want http://HOST:PORT or https://HOST:PORT, without user and password"},
		"nats://h?monitoring=http%3A%2F%2Fbench%3A" + brokertest.Secret + "%40m": {"option monitoring: want http://HOST:PORT"},
		"nats://h?durability=accepted&durability-check=maybe":                    {`value "maybe"`},
	})
}

// The monitoring port says whether each message is on the disk before it is acknowledged.
func TestSyncIntervalLimitsDurability(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		status       int
		asks         string // the target's options
		want         requester.Durability
		notVerified  bool
		says         string // of the error
	}{
		{name: "always", answer: `{"config":{"sync_interval":120000000000,"sync_always":true}}`, asks: "stream=file", want: requester.Machine},
		{name: "always, asked for", answer: `{"config":{"sync_always":true}}`, asks: "durability=machine", want: requester.Machine},
		{name: "by default", answer: `{"config":{}}`, asks: "stream=file", want: requester.Process},
		{name: "each minute", answer: `{"config":{"sync_interval":60000000000}}`, asks: "durability=machine", says: "the server's sync_interval is 1m0s, which backs process at most"},
		{name: "forced", answer: `{"config":{}}`, asks: "durability=machine&durability-check=false", want: requester.Process},
		{name: "one of three", answer: `{"config":{"sync_always":true},"meta_cluster":{"cluster_size":3}}`, asks: "stream=file", want: requester.Process},
		{name: "one of three, asked for", answer: `{"config":{"sync_always":true},"meta_cluster":{"cluster_size":3}}`, asks: "durability=machine", want: requester.Machine, notVerified: true},
		{name: "no answer", status: http.StatusNotFound, asks: "durability=machine", want: requester.Machine, notVerified: true},
		{name: "no JSON", answer: "<html>", asks: "durability=machine", want: requester.Machine, notVerified: true},
		{name: "no answer, nothing asked for", status: http.StatusNotFound, asks: "stream=file", want: requester.Process},
		{name: "no answer, less asked for", status: http.StatusNotFound, asks: "durability=process", want: requester.Process},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/jsz" || c.status != 0 {
					w.WriteHeader(http.StatusNotFound)
				}
				_, _ = io.WriteString(w, c.answer)
			}))
			defer s.Close()
			got, err := openURL(t, "nats://h?monitoring="+s.URL+"&"+c.asks).backing(t.Context(), nil)
			if c.says != "" {
				brokertest.WantError(t, err, c.says)
				return
			}
			if err != nil || got.Level != c.want || c.notVerified != (len(got.NotVerified) > 0) {
				t.Errorf("%+v %v, want %s", got, err, c.want)
			}
		})
	}
}

// The monitoring port of another server says nothing about the target's.
func TestAnotherServersMonitoringPortIsNotBelieved(t *testing.T) {
	synced := func(o *server.Options) {
		o.JetStream, o.StoreDir, o.SyncAlways = true, t.TempDir(), true
		o.HTTPHost, o.HTTPPort = o.Host, server.RANDOM_PORT
	}
	own, other := serve(t, synced), serve(t, synced)
	for _, c := range []struct {
		at          *broker
		notVerified int
	}{{own, 0}, {other, 1}} {
		d, err := open(t, own, "", "?durability=machine&monitoring=http://"+c.at.MonitorAddr().String()).Describe(t.Context())
		if err != nil || d.Durability == nil || len(d.Durability.NotVerified) != c.notVerified {
			t.Errorf("%+v %v, want %d not verified", d.Durability, err, c.notVerified)
		}
		if own := c.notVerified == 0; own != (len(d.Timers) == 2) || own && d.Timers[0].Value != "2m0s" {
			t.Errorf("timers %v", d.Timers)
		}
	}
}

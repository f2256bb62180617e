package nsq

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// serve builds an nsqd, starts it with more arguments until the end of the test, and returns its address with the options
// of a URL. It needs the modules that deploy/local has fetched for its own.
func serve(t *testing.T, args ...string) (address string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds nsqd")
	}
	brokertest.URL(t, "NSQ")
	dir, lib := t.TempDir(), "../../../deploy/local/lib/nsqd/"
	program := filepath.Join(dir, "nsqd")
	build := exec.CommandContext(t.Context(), "sh", "-c", `cp "$0mod" "$1/go.mod" && cp "$0sum" "$1/go.sum" && cd "$1" && go build -mod=mod -o nsqd github.com/nsqio/nsq/apps/nsqd`, lib, dir)
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	tcp, web := brokertest.Refusing(t), brokertest.Refusing(t)
	c := exec.Command(program, append([]string{"-tcp-address", tcp, "-http-address", web, "-data-path", dir, "-log-level", "warn"}, args...)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	requestertest.Until(t, "nsqd answers", func() bool {
		answer, err := http.Get("http://" + web + "/ping")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err == nil
	})
	return tcp + "?http=http://" + web
}

// nsqd asks an authority about the secret of each connection, and the secret of the URL is the one that it asks about.
func TestSecrets(t *testing.T) {
	permissions := map[string]string{"right": `"subscribe","publish"`, "reader": `"subscribe"`}
	authority := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		permitted, known := permissions[r.URL.Query().Get("secret")]
		if !known {
			http.Error(w, "unknown secret", http.StatusForbidden)
			return
		}
		_, _ = fmt.Fprintf(w, `{"ttl": 3600, "authorizations": [{"topic": ".*", "channels": [".*"], "permissions": [%s]}]}`, permitted)
	}))
	t.Cleanup(authority.Close)
	address := serve(t, "-auth-http-address", authority.Listener.Addr().String())
	requestertest.Connect(t, factory(t, "nsq://:right@"+address, ""), 0).RoundTrips(t)
	brokertest.SetupExplains(t, Open, map[string][]string{
		"no secret":    {"nsq://" + address, "Auth Required", "nsq://:SECRET@host"},
		"wrong secret": {"nsq://:geheim@" + address, "E_AUTH_FAILED", "correct the secret"},
		"may not":      {"nsq://:reader@" + address, "E_UNAUTHORIZED", "permit topics"},
	})
}

// nsqd before 1.0 wraps its answers over HTTP.
func TestAnOldVersion(t *testing.T) {
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status_code":200,"status_txt":"OK","data":{"version":"0.3.8","topics":[]}}`)
	}))
	t.Cleanup(old.Close)
	f := factory(t, "nsq://"+brokertest.Refusing(t)+"?http="+old.URL, "")
	_, err := f.Describe(t.Context())
	brokertest.WantFault(t, err, "nsqd is older than 1.0", "use NSQ 1.0 or later")
	brokertest.WantFault(t, requestertest.NewLink(t, f, 0).Begin(), "nsqd is older than 1.0", "use NSQ 1.0 or later")
}

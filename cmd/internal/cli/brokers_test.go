package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/results"
)

// realURLs returns the URLs of the real brokers that run, by name; with suffix
// _TLS, of those that want TLS and a password. It skips the test if there is
// none, and fails it if all are required and one is missing.
func realURLs(t *testing.T, suffix string) map[string]string {
	t.Helper()
	urls := make(map[string]string)
	for _, name := range []string{"nats", "redis", "rabbitmq", "kafka"} {
		variable := "BROKERBENCH_" + strings.ToUpper(name) + suffix + "_URL"
		switch url := os.Getenv(variable); {
		case url != "":
			urls[name] = url
		case os.Getenv("BROKERBENCH_REQUIRE_BROKERS") == "1":
			t.Fatalf("NO REAL BROKER: %s is not set, and all brokers are required", variable)
		default:
			t.Logf("NO REAL BROKER: %s is not set; see deploy/local/brokers", variable)
		}
	}
	if len(urls) == 0 {
		t.Skip("NO REAL BROKER at all; see deploy/local/brokers")
	}
	return urls
}

// TestRealBrokers measures every real broker through the command line, with
// small messages and with 1 MiB.
func TestRealBrokers(t *testing.T) {
	t.Parallel()
	for name, url := range realURLs(t, "") {
		t.Run(name, func(t *testing.T) {
			code, _, cells, stderr := runJSON(t, url, "--rate", "20", "--size", "256B,1MiB", "--connections", "2", "--in-flight", "open,1",
				"--duration", "1s", "--warmup", "500ms")
			if code != command.ExitInvalid { // a busy machine does not carry 20 MiB/s
				wantCode(t, code, command.ExitGood, stderr)
			}
			if len(cells) != 4 {
				t.Fatalf("%d cells, want 4: %s", len(cells), stderr)
			}
			for _, c := range cells {
				if want := (results.Ledger{Due: 20, Done: 20}); c.Ledger != want || c.Strays != (results.Strays{}) {
					t.Errorf("%s: ledger %+v, strays %+v, events %+v", c.ID, c.Ledger, c.Strays, c.Events)
				}
				if c.Broker.Version == "" || len(c.Broker.Settings) == 0 {
					t.Errorf("%s: not described: %+v", c.ID, c.Broker)
				}
			}
		})
	}
}

// TestRealBrokersWithTLS measures through TLS with a password, which nothing
// that is printed or stored tells.
func TestRealBrokersWithTLS(t *testing.T) {
	t.Parallel()
	for name, url := range realURLs(t, "_TLS") {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr, out := valid(t, "run", url, "--rate", "50", "--size", "1KiB", "--floor", "off", "--duration", "500ms", "--warmup", "100ms")
			wantCode(t, code, command.ExitGood, stderr)
			wantNoSecret(t, password(t, url), stdout, stderr, readAll(t, out))
		})
	}
}

func TestAWrongPasswordIsOneClearLine(t *testing.T) {
	t.Parallel()
	for name, url := range realURLs(t, "_TLS") {
		t.Run(name, func(t *testing.T) {
			wrong := strings.Replace(url, password(t, url), "wr0ng-secret", 1)
			code, stdout, stderr := invoke("run", wrong, "--quiet", "--out", t.TempDir(), "--floor", "off", "--duration", "500ms")
			wantCode(t, code, command.ExitError, stderr, "xxxxx@", "password")
			wantOneLine(t, stderr)
			wantNoSecret(t, "wr0ng-secret", stdout, stderr)
		})
	}
}

// TestAMessageThatIsTooLarge wants a broker's refusal before the run, with a
// remedy. (RabbitMQ's and Redis's own limits are 128 MiB and 512 MiB.)
func TestAMessageThatIsTooLarge(t *testing.T) {
	urls := realURLs(t, "")
	for name, size := range map[string]string{"nats": "2MiB", "kafka": "8MiB"} {
		t.Run(name, func(t *testing.T) {
			if urls[name] == "" {
				t.Skip("NO REAL BROKER")
			}
			code, _, stderr := invoke("run", urls[name], "--quiet", "--out", t.TempDir(), "--size", size, "--rate", "10", "--floor", "off", "--duration", "500ms")
			wantCode(t, code, command.ExitError, stderr, name+"://", "(")
			wantOneLine(t, stderr)
			t.Log(stderr)
		})
	}
}

// password returns the password in a URL.
func password(t *testing.T, url string) string {
	t.Helper()
	_, userinfo, _ := strings.Cut(url, "://")
	userinfo, _, _ = strings.Cut(userinfo, "@")
	_, secret, ok := strings.Cut(userinfo, ":")
	if !ok || secret == "" {
		t.Fatal("the URL has no password")
	}
	return secret
}

func wantNoSecret(t *testing.T, secret string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("the password is told: %q", text[max(0, i-60):min(len(text), i+60)])
		}
	}
}

package adapter

import (
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

const examples = "../../../examples/adapters"

// hostOf returns host and port of the broker of the tests.
func hostOf(t *testing.T, name string) string {
	t.Helper()
	u, err := url.Parse(brokertest.URL(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// The Python adapter keeps every rule with a real Redis, and as the floor without one.
func TestPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3:", err)
	}
	host, port, _ := strings.Cut(hostOf(t, "REDIS"), ":")
	requestertest.Run(t, factory(t, examples+"/redis_pubsub.py "+host+" "+port))
	t.Run("echo", func(t *testing.T) { requestertest.Run(t, echoOf(t, examples+"/redis_pubsub.py "+nowhere)) })
}

// nowhere is a host and a port at which no broker is.
const nowhere = "127.0.0.1 1"

// echoOf returns the factory whose adapter only sends back.
func echoOf(t *testing.T, command string) *Factory {
	t.Helper()
	echo, err := factory(t, command).Echo(t.Context())
	if err != nil || echo == nil {
		t.Fatalf("%s: no echo, %v", command, err)
	}
	return echo
}

// Maven builds the Java adapter, and every message comes back through a real Kafka and is acknowledged. As the floor it
// keeps every rule without one.
func TestJava(t *testing.T) {
	if testing.Short() {
		t.Skip("builds with Maven")
	}
	host := hostOf(t, "KAFKA")
	maven, err := exec.LookPath("mvn")
	if err != nil {
		t.Skip("needs Maven:", err)
	}
	target := t.TempDir()
	folder, err := filepath.Abs(examples + "/java")
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), maven, "-B", "-q", "-f", folder, "package", "-Dto="+target)
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	program := "java -cp '" + target + "/classes:" + target + "/lib/*' KafkaAdapter "
	f := factory(t, program+host+" acks=1")
	requestertest.Connect(t, f, 7).RoundTrips(t)
	t.Run("echo", func(t *testing.T) { requestertest.Run(t, echoOf(t, program+"127.0.0.1:1")) })
	outcome := run(t, f, load.Config{Schedule: schedule.Spec{Rate: 100, Duration: time.Second}, Size: 1024, Connections: 2})
	if want := (load.Ledger{Due: 100, Done: 100}); outcome.Window != want || outcome.AckLedger.Acked != 100 {
		t.Errorf("%+v, acknowledged %+v; %v", outcome.Window, outcome.AckLedger, outcome.Events)
	}
	if d, err := f.Describe(t.Context()); err != nil || d.Client != "org.apache.kafka:kafka-clients:4.3.1" {
		t.Errorf("%+v, %v", d, err)
	}
}

package nsq

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// kinds are options that change the way of a message.
var kinds = []string{"", "max-in-flight=200&output-buffer-timeout=25ms", "audit-channel=true", "output-buffer-size=-1&output-buffer-timeout=-1ms&max-in-flight=2500"}

func TestConformance(t *testing.T) {
	brokertest.Kinds(t, kinds, running)
	brokertest.TLS(t, factory(t, brokertest.URL(t, "NSQ_TLS"), ""))
}

func TestWhatIsAcknowledged(t *testing.T) {
	for _, options := range kinds {
		brokertest.WantAcknowledges(t, running(t, options), true)
	}
}

func TestLargeMessages(t *testing.T) {
	requestertest.Connect(t, running(t, ""), 0).RoundTrips(t, 16, 1<<10, 200_000, 1<<20)
}

func TestTeardownLeavesNothing(t *testing.T) {
	f := running(t, "audit-channel=true")
	requestertest.TeardownLeavesNothing(t, f, func(l *requestertest.Link) bool { return !hasTopic(t, f, l.Requester.(*conn).to) })
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	brokertest.RequestNeedsSetup(t, running(t, ""))
}

func TestGroups(t *testing.T) {
	for _, topology := range []requester.Topology{{Topics: 1, Groups: 1, Members: 1}, {Topics: 1, Groups: 3, Members: 2}, {Topics: 4, Groups: 2, Members: 3}} {
		f := running(t, "")
		members := brokertest.Groups(t, f, topology, 256)
		for group, received := range members {
			for member, n := range received {
				if n == 0 {
					t.Errorf("%v: member %d of group %d received nothing", topology, member, group)
				}
			}
		}
		if hasTopic(t, f, target.Name(f.Run, 0)) {
			t.Errorf("%v: its topic is left", topology)
		}
	}
}

func TestTwoHops(t *testing.T) {
	callers, far := running(t, ""), running(t, "")
	far.Run = callers.Run
	brokertest.TwoHops(t, callers, far, 256, true)
}

func TestDescribe(t *testing.T) {
	d, err := running(t, "max-in-flight=7").Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product != "NSQ" || !strings.HasPrefix(d.Version, "1.") || !strings.HasPrefix(d.Client, clientModule) || d.Durability == nil || d.Durability.Level != requester.Accepted {
		t.Errorf("%+v", d)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"max-in-flight": "7"})
	brokertest.DescribeExplains(t, factory(t, "nsq://u:geheim@"+brokertest.Refusing(t)+"?http=http://"+brokertest.Refusing(t), ""))
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := Open("nsq://a,b", "r") // they share nothing
	brokertest.WantError(t, err, "several hosts")
	for options, says := range map[string]string{
		"durability=process":       "durability=process",
		"max-in-flight=0":          "max-in-flight",
		"output-buffer-timeout=2h": "output-buffer-timeout",
		"http=x":                   "http",
		"tls-insecure=true":        "nsq+tls",
	} {
		_, err := Open("nsq://h?"+options, "r")
		brokertest.WantError(t, err, says)
	}
}

func TestSetupExplains(t *testing.T) {
	secure := brokertest.HostOf(t, brokertest.URL(t, "NSQ_TLS"))
	http := "?http=" + strings.SplitN(brokertest.URL(t, "NSQ"), "http=", 2)[1]
	brokertest.SetupExplains(t, Open, map[string][]string{
		"refused":      {"nsq://u:geheim@" + brokertest.Refusing(t) + http, "connection refused", "start the broker"},
		"no HTTP":      {"nsq://u:geheim@" + secure + "?http=http://" + brokertest.Refusing(t), "nsqd's HTTP interface", "(option http)", "start the broker"},
		"TLS there":    {"nsq://u:geheim@" + secure + http, "nsq+tls"},
		"no TLS there": {"nsq+tls://u:geheim@" + brokertest.HostOf(t, brokertest.URL(t, "NSQ")) + http, "has no TLS", "--tls-cert"},
		"authority":    {"nsq+tls://u:geheim@" + secure + http, "certificate", "tls-ca"},
		"another kind": {"nsq://" + brokertest.Accept(t, badRequest) + http, "is it nsqd"},
	})
}

// badRequest is what a web server says.
func badRequest(c net.Conn) {
	_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
	_ = c.Close()
}

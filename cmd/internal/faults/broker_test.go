//go:build linux

package faults

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/linetest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// elsewhere is an address at which no broker listens, for proxies.
const elsewhere = "127.0.0.9"

// A broker is the real one of a lane, with a proxy in front of it. deploy/local
// starts it when it is needed.
type broker struct {
	t       *testing.T // of the lane
	name    string     // "" if there is none
	proxied bool       // clients are told to come to the proxy
	state   string     // the folder of deploy/local/brokers; "" while there is no broker
	plain   *url.URL
	tls     *url.URL
	proxy   *relay.Relay
	idle    int // connections before any attempt
}

// brokers are those of all lanes.
type brokers struct {
	mu  sync.Mutex
	all []*broker
}

// add returns the broker of a lane, which ends with it.
func (s *brokers) add(t *testing.T, l lane) *broker {
	t.Helper()
	b := &broker{t: t, name: l.broker, proxied: l.proxied}
	t.TempDir() // so that the folders with what runs are removed after it has ended
	t.Cleanup(b.end)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, b)
	return b
}

// endWhenInterrupted ends the brokers when Ctrl-C ends the test: they are no
// children of it.
func (s *brokers) endWhenInterrupted(t *testing.T) {
	t.Helper()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	t.Cleanup(func() { signal.Stop(signals) })
	go func() {
		<-signals
		s.mu.Lock()
		for _, b := range s.all {
			b.end()
		}
		panic("interrupted")
	}()
}

// ready starts the broker if there is none.
func (b *broker) ready(t *testing.T) {
	t.Helper()
	if b.name == "" || b.state != "" {
		return
	}
	b.state = filepath.Join(b.t.TempDir(), "state")
	b.start(t)
}

// start starts the broker, in a folder that may hold something already.
func (b *broker) start(t *testing.T) {
	t.Helper()
	b.up(t)
	if b.plain == nil {
		why, _ := os.ReadFile(filepath.Join(b.state, "skipped"))
		b.end()
		t.Fatalf("NO REAL BROKER: %s cannot be started: %s", b.name, why)
	}
	b.plain.User = users()[b.name]
	address := elsewhere + ":0"
	if b.proxied {
		address = elsewhere + ":" + b.plain.Port()
	}
	b.proxy = linetest.Relay(b.t, relay.Options{Listen: address, Backend: b.plain.Host})
	b.idle = b.connections()
}

// up sets the URLs of the broker, if it can be started.
func (b *broker) up(t *testing.T) {
	t.Helper()
	b.plain, b.tls = nil, nil
	for _, line := range strings.Split(b.do("up", b.name), "\n") {
		variable, value, _ := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		u, err := url.Parse(strings.Trim(value, "'"))
		if err != nil {
			t.Fatal(err)
		}
		switch strings.TrimPrefix(variable, "BROKERBENCH_"+strings.ToUpper(b.name)) { // it also has monitoring ports
		case "_TLS_URL":
			b.tls = u
		case "_URL":
			b.plain = u
		}
	}
}

// users are who connects without TLS. The brokers of deploy/local take any password
// there, but for RabbitMQ, which knows this one, and Kafka, which wants none.
func users() map[string]*url.Userinfo {
	return map[string]*url.Userinfo{
		"nats": url.UserPassword("bench", secret), "redis": url.UserPassword("default", secret), "rabbitmq": url.UserPassword("bench", secret),
	}
}

// end ends the broker.
func (b *broker) end() {
	if b.state != "" {
		_ = syscall.Unmount(b.file("logs"), syscall.MNT_DETACH) // the small disk, if there is one
		b.do("down")
		b.state = ""
	}
}

// do runs a command of deploy/local/brokers and returns what it printed.
func (b *broker) do(args ...string) string {
	cmd := exec.Command("../../../deploy/local/brokers", args...)
	cmd.Env = append(environment(), "BROKERBENCH_STATE="+b.state, "BROKERBENCH_START_TIMEOUT=300") // a busy machine takes its time
	if b.proxied {
		cmd.Env = append(cmd.Env, "BROKERBENCH_KAFKA_HOST="+elsewhere)
	}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		b.t.Errorf("brokers %s: %v: %s", strings.Join(args, " "), err, said.String())
	}
	return string(out)
}

// url is that of the broker; with a proxy that clients are told of, that of the proxy.
func (b *broker) url() string {
	if b.proxied {
		return b.through()
	}
	if b.name == "" {
		return "loopback:?delay=1ms"
	}
	return b.plain.String()
}

// through is the URL of the proxy in front of the broker.
func (b *broker) through() string { return at(b.plain, b.proxy.Addr()).String() }

// at is a URL with another host.
func at(u *url.URL, host string) *url.URL {
	other := *u
	other.Host = host
	return &other
}

// heal makes the network well again.
func (b *broker) heal() {
	if b.proxy != nil {
		b.proxy.Set(relay.State{})
		b.proxy.Pass(nil)
		b.proxy.Refuse(false)
	}
}

// file is the path of a file of the broker's.
func (b *broker) file(name string) string { return filepath.Join(b.state, b.name, name) }

// portOf returns a port that deploy/local drew, by its name.
func (b *broker) portOf(name string) string {
	text, err := os.ReadFile(b.file("ports"))
	if err != nil {
		b.t.Error(err)
	}
	for _, line := range strings.Fields(string(text)) {
		if port, ok := strings.CutPrefix(line, name+"="); ok {
			return port
		}
	}
	return ""
}

// connections counts the connections that the broker has, on both of its ports.
func (b *broker) connections() (n int) {
	text, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		b.t.Error(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[3] != "01" && fields[3] != "08" { // established; closed by the other side
			continue
		}
		for _, u := range []*url.URL{b.plain, b.tls} {
			if u != nil && strings.HasSuffix(fields[1], ":"+hexPort(u)) {
				n++
			}
		}
	}
	return n
}

func hexPort(u *url.URL) string {
	_, port, _ := net.SplitHostPort(u.Host)
	number := 0
	_, _ = fmt.Sscan(port, &number)
	return fmt.Sprintf("%04X", number)
}

package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/service"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// TestMain is the service if it is started as its process.
func TestMain(m *testing.M) { brokertest.Main(m, service.Args(scheme), Serve) }

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("http", rawURL, run, New) }

func factory(t testing.TB, rawURL, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, rawURL, options)
}

func TestConformance(t *testing.T) {
	for _, options := range []string{"", "connections=1", "http2=true"} {
		t.Run(options, func(t *testing.T) { requestertest.Run(t, factory(t, "http:", options)) })
	}
	secure := httptest.NewUnstartedServer(echo())
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	for _, options := range []string{"", "http2=true"} {
		t.Run("TLS "+options, func(t *testing.T) { requestertest.Run(t, factory(t, secure.URL+"/echo", "tls-insecure=true&"+options)) })
	}
}

// Each request has the protocol that the option asks for, and over HTTP/1.1 a TCP connection of its own.
func TestProtocolsAndConnections(t *testing.T) {
	for options, want := range map[string]struct {
		major int
		conns int64
	}{"connections=8": {1, 8}, "connections=8&http2=true": {2, 1}} {
		var conns, major atomic.Int64
		wait := make(chan struct{})
		handler := func(w http.ResponseWriter, r *http.Request) {
			major.Store(int64(r.ProtoMajor))
			if r.ContentLength > 50 {
				<-wait
			}
			echo().ServeHTTP(w, r)
		}
		server := httptest.NewUnstartedServer(http.HandlerFunc(handler))
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetHTTP1(true)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				conns.Add(1)
			}
		}
		server.Start()
		l := requestertest.Connect(t, factory(t, server.URL, options), 0)
		for seq := range uint64(8) {
			l.Send(t, requestertest.Payload(0, seq, 100))
		}
		for began := time.Now(); conns.Load() < want.conns && time.Since(began) < 10*time.Second; {
			runtime.Gosched()
		}
		close(wait)
		for range 8 {
			l.Next(t)
		}
		if int(major.Load()) != want.major || conns.Load() != want.conns {
			t.Errorf("%s: HTTP/%d over %d connections, want %+v", options, major.Load(), conns.Load(), want)
		}
		l.End(t)
		server.Close()
	}
}

func TestAnswersThatAreNoEcho(t *testing.T) {
	status := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(status.Close)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(other.Close)
	brokertest.SetupExplains(t, Open, map[string][]string{
		"refused":     {"http://u:geheim@" + brokertest.Refusing(t), "connection refused", "start the broker"},
		"status":      {strings.Replace(status.URL, "//", "//u:geheim@", 1), "404", "answers a POST"},
		"no echo":     {other.URL, "did not come back", "answers a POST"},
		"no TLS":      {strings.Replace(other.URL, "http:", "https:", 1), "HTTP response to HTTPS client", "use http://"},
		"not version": {other.URL + "?http2=true", "", "http2"},
	})
}

// The user and password of the URL go with each request; a service that refuses them does so with 401 or 403.
func TestCredentials(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch user, password, given := r.BasicAuth(); {
		case !given || password != "right":
			w.WriteHeader(http.StatusUnauthorized)
		case user != "u":
			w.WriteHeader(http.StatusForbidden)
		default:
			echo().ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	as := func(login string) string { return strings.Replace(server.URL, "//", "//"+login, 1) }
	requestertest.Connect(t, factory(t, as("u:right@"), ""), 0).RoundTrips(t)
	brokertest.SetupExplains(t, Open, map[string][]string{
		"none":     {as(""), "refused: 401 Unauthorized", "USER:PASSWORD"},
		"password": {as("u:geheim@"), "refused: 401 Unauthorized", "or check them"},
		"user":     {as("other:right@"), "refused: 403 Forbidden", "or check them"},
	})
}

// A service that accepts the TCP connection and does not speak HTTP/2 ends it at different moments.
func TestNoHTTP2(t *testing.T) {
	secure := httptest.NewTLSServer(echo())
	t.Cleanup(secure.Close)
	targets := map[string][]string{"TLS": {secure.URL + "/?http2=true&tls-insecure=true", "leave out http2"}}
	for _, answer := range []string{"", "x", "HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example.org ESMTP\r\n"} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
				_, _ = io.ReadFull(conn, make([]byte, 24)) // the preface
				_, _ = io.WriteString(conn, answer)
				_ = conn.Close()
			}
		}()
		for i := range 4 {
			targets[fmt.Sprintf("%.8q%d", answer, i)] = []string{"http://" + listener.Addr().String() + "?http2=true", "no answer over HTTP/2", "leave out http2"}
		}
	}
	brokertest.SetupExplains(t, Open, targets)
}

// A service that answers before it has read the body: the memory of the message is not used again meanwhile (-race).
func TestAnEarlyAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 100 {
			echo().ServeHTTP(w, r)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
		<-r.Context().Done()
		_ = conn.Close()
	}))
	defer server.Close()
	l := requestertest.Connect(t, factory(t, server.URL, "connections=1"), 0)
	for seq := range uint64(4) {
		l.Send(t, requestertest.Payload(0, seq, 16<<20))
		l.WantFailure(t, "413")
	}
}

// An answer that does not end, and one from elsewhere, are no answers.
func TestAnswersThatAreNotTaken(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.ContentLength {
		case 98:
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		case 99:
			for _, err := w.Write(make([]byte, 1<<20)); err == nil; _, err = w.Write(make([]byte, 1<<20)) {
			}
		default:
			echo().ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	l := requestertest.Connect(t, factory(t, server.URL, ""), 0)
	before := asked.Load()
	for seq, size := range []int{98, 99} {
		l.Send(t, requestertest.Payload(0, uint64(seq), size))
		l.WantFailure(t, []string{"307", "longer than the message"}[seq])
	}
	if n := asked.Load() - before; n != 2 {
		t.Errorf("%d requests for 2 messages", n)
	}
}

// Beyond the number of streams that the service permits there are more TCP connections, as in users' programs.
func TestStreams(t *testing.T) {
	var conns, busy atomic.Int64
	wait := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 50 {
			busy.Add(1)
			<-wait
		}
		echo().ServeHTTP(w, r)
	}))
	server.Config.Protocols, server.Config.HTTP2 = new(http.Protocols), &http.HTTP2Config{MaxConcurrentStreams: 10}
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	l := requestertest.Connect(t, factory(t, server.URL, "connections=60&http2=true"), 0)
	for seq := range uint64(60) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	for began := time.Now(); busy.Load() < 60 && time.Since(began) < 10*time.Second; {
		runtime.Gosched()
	}
	close(wait)
	for range 60 {
		l.Next(t)
	}
	if n := conns.Load(); n < 6 {
		t.Errorf("%d TCP connections", n)
	}
}

// A request that fails counts as failed, with the status, and the next goes on.
func TestAFailedRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 99 {
			http.Error(w, "too many", http.StatusTooManyRequests)
			return
		}
		echo().ServeHTTP(w, r)
	}))
	defer server.Close()
	l := requestertest.Connect(t, factory(t, server.URL, ""), 0)
	l.Send(t, requestertest.Payload(0, 0, 99))
	l.WantFailure(t, "429")
	l.RoundTrip(t, requestertest.Payload(0, 1, 100))
}

func TestABlockedServiceDoesNotHoldUpTeardown(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > 50 {
			<-release
		}
		echo().ServeHTTP(w, r)
	}))
	defer server.Close()
	defer close(release)
	l := requestertest.Connect(t, factory(t, server.URL, "connections=2"), 0)
	for seq := range uint64(4) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	began := time.Now()
	l.End(t)
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("Teardown took %v", took)
	}
}

func TestTheServiceEnds(t *testing.T) {
	f := factory(t, "http:", "")
	l, m := requestertest.Connect(t, f, 0), requestertest.Connect(t, f, 1)
	process := f.service.Process()
	if group, err := syscall.Getpgid(process.Pid); err != nil || group != process.Pid {
		t.Errorf("a Ctrl-C ends the service: its group is %d (%v), its process %d", group, err, process.Pid)
	}
	l.End(t)
	m.RoundTrip(t, requestertest.Payload(1, 0, 100))
	m.End(t)
	if err := process.Signal(os.Interrupt); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("the process of the service is there: %v", err)
	}
}

func TestServeEndsWithItsInput(t *testing.T) {
	var said bytes.Buffer
	if err := Serve(strings.NewReader(""), &said); err != nil || !strings.HasPrefix(said.String(), "127.0.0.1:") {
		t.Errorf("%q, %v", said.String(), err)
	}
}

func TestDescribe(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Server", "demo/1.2") }))
	defer server.Close()
	d, err := factory(t, server.URL, "http2=false").Describe(t.Context())
	if err != nil || d.Product != "HTTP" || d.Version != "demo/1.2" {
		t.Errorf("%+v, %v", d, err)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{"connections": "32", "http2": "false"})
	post := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}))
	defer post.Close()
	if _, err := factory(t, post.URL, "").Describe(t.Context()); err != nil {
		t.Errorf("a service that answers no HEAD: %v", err)
	}
	brokertest.DescribeExplains(t, factory(t, "http://u:geheim@"+brokertest.Refusing(t), ""))
	_, err = Open("https:", "r")
	brokertest.WantError(t, err, "host")
	_, err = Open("http://h?connections=0", "r")
	brokertest.WantError(t, err, "connections")
}

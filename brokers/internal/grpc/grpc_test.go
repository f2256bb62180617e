package grpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	grpcgo "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/grpc/form"
	"github.com/brokerbench/brokerbench/brokers/internal/service"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

var modes = []string{"mode=stream", "mode=unary"}

// TestMain is the service if it is started as its process.
func TestMain(m *testing.M) { brokertest.Main(m, service.Args(form.Scheme), Serve) }

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) {
	return brokertest.Open(form.Scheme, rawURL, run, New)
}

func factory(t testing.TB, rawURL, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, rawURL, options)
}

// serving serves at an address of this machine until the end of the test, and returns that.
func serving(t testing.TB, s *grpcgo.Server, at string) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// other returns a server whose methods behave otherwise.
func other(call func(message []byte) ([]byte, error), stream grpcgo.StreamHandler, options ...grpcgo.ServerOption) *grpcgo.Server {
	d := description()
	d.Methods[0].Handler = func(_ any, _ context.Context, decode func(any) error, _ grpcgo.UnaryServerInterceptor) (any, error) {
		var message []byte
		if err := decode(&message); err != nil {
			return nil, err
		}
		reply, err := call(message)
		return &reply, err
	}
	d.Streams[0].Handler = stream
	s := grpcgo.NewServer(append(options, grpcgo.ForceServerCodecV2(codec{}))...)
	s.RegisterService(d, nil)
	return s
}

func TestConformance(t *testing.T) {
	pair, authority, _ := brokertest.Certificate(t)
	secure := serving(t, newServer(grpcgo.Creds(credentials.NewServerTLSFromCert(&pair))), "127.0.0.1:0")
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) { requestertest.Run(t, factory(t, "grpc:", mode)) })
		t.Run("TLS "+mode, func(t *testing.T) {
			requestertest.Run(t, factory(t, "grpcs://"+secure, mode+"&tls-ca="+authority))
		})
	}
	requestertest.Run(t, factory(t, "grpc:", "mode=unary&calls=1"))
}

func TestOpenRefuses(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "grpc", map[string][]string{
		"grpc://h?mode=batch":       {"mode", "stream, unary"},
		"grpc://h?calls=0":          {"calls"},
		"grpc://h?reconnect-wait=0": {"reconnect-wait"},
		"grpc://h?tls-insecure=1":   {"grpcs"},
		"grpcs:":                    {"host"},
		"grpc://u:geheim@h/a.B":     {"a.B", form.Stream, form.Call},
		"grpc://h?durability=node":  {"no levels"},
		"http://h":                  {"grpc or grpcs"},
	})
	brokertest.OpenRefusesRuns(t, Open, "grpc:")
}

// Setup says in one line why a target cannot be used, and what helps.
func TestSetupExplains(t *testing.T) {
	nothing := serving(t, grpcgo.NewServer(), "127.0.0.1:0")
	refusing := serving(t, other(
		func([]byte) ([]byte, error) { return nil, status.Error(codes.Unauthenticated, "who are you") },
		func(any, grpcgo.ServerStream) error { return status.Error(codes.PermissionDenied, "not you") }), "127.0.0.1:0")
	empty := serving(t, other(
		func([]byte) ([]byte, error) { return nil, nil },
		func(any, grpcgo.ServerStream) error { return nil }), "127.0.0.1:0")
	pair, _, _ := brokertest.Certificate(t)
	secure := serving(t, newServer(grpcgo.Creds(credentials.NewServerTLSFromCert(&pair))), "127.0.0.1:0")
	expired, file := brokertest.Expired(t)
	web := brokertest.Greet(t, "HTTP/1.1 400 Bad Request\r\n\r\n")
	targets := make(map[string][]string)
	for _, mode := range modes {
		for name, says := range map[string][]string{
			"refused":   {"grpc://u:geheim@" + brokertest.Refusing(t), "connection refused", "start the broker"},
			"other":     {"grpc://u:geheim@" + nothing, "Unimplemented", form.Service, form.Stream},
			"password":  {"grpc://u:geheim@" + refusing, "you", "correct user and password"},
			"no echo":   {"grpc://u:geheim@" + empty, "", form.Stream},
			"no gRPC":   {"grpc://u:geheim@" + web, "server preface", "is it gRPC?"},
			"TLS":       {"grpc://u:geheim@" + secure, "", "grpcs://"},
			"no TLS":    {"grpcs://u:geheim@" + nothing, "TLS", "without TLS"},
			"authority": {"grpcs://u:geheim@" + secure, "unknown authority", "tls-ca"},
			"expired":   append([]string{"grpcs://u:geheim@" + expired + "?tls-ca=" + file}, brokertest.ExpiredSays...),
		} {
			says[0] = brokertest.With(says[0], mode)
			targets[mode+" "+name] = says
		}
	}
	brokertest.SetupExplains(t, Open, targets)
}

func TestSetupHonoursContext(t *testing.T) {
	for _, mode := range modes {
		brokertest.SetupHonoursContext(t, Open, "grpc://%s?"+mode)
	}
}

func TestRequestNeedsSetup(t *testing.T) {
	for _, mode := range modes {
		brokertest.RequestNeedsSetup(t, factory(t, "grpc:", mode))
	}
}

// The user and password of the URL go with the stream and with each call.
func TestAuthorization(t *testing.T) {
	authorized := func(ctx context.Context) error {
		m, _ := metadata.FromIncomingContext(ctx)
		if got := m.Get("authorization"); len(got) != 1 || got[0] != "Basic dTpnZWhlaW0=" {
			return status.Error(codes.Unauthenticated, strings.Join(got, " "))
		}
		return nil
	}
	address := serving(t, newServer(
		grpcgo.StreamInterceptor(func(s any, stream grpcgo.ServerStream, _ *grpcgo.StreamServerInfo, handle grpcgo.StreamHandler) error {
			if err := authorized(stream.Context()); err != nil {
				return err
			}
			return handle(s, stream)
		})), "127.0.0.1:0")
	requestertest.Connect(t, factory(t, "grpc://u:geheim@"+address, "mode=stream"), 0).RoundTrips(t)
	err := requestertest.NewLink(t, factory(t, "grpc://u:falsch@"+address, "mode=stream"), 0).Begin()
	brokertest.WantFault(t, err, "Unauthenticated", "correct user and password")
}

// A service that permits smaller messages refuses a larger one, which costs the stream but not the call after it.
func TestAMessageThatIsTooLarge(t *testing.T) {
	small := other(func(message []byte) ([]byte, error) { return message, nil }, echo, grpcgo.MaxRecvMsgSize(1<<10))
	address := serving(t, small, "127.0.0.1:0")
	for _, mode := range modes {
		l := requestertest.Connect(t, factory(t, "grpc://"+address, mode+"&reconnect-wait=1ms"), 0)
		l.Send(t, requestertest.Payload(0, 0, 2<<10))
		l.WantFailure(t, "ResourceExhausted", "2048 vs. 1024", "raise the service's limit")
		if mode == "mode=stream" {
			l.WantEvents(t, "ResourceExhausted", "reconnected after")
		}
		l.RoundTrip(t, requestertest.Payload(0, 1, 100))
	}
}

// A message that comes back twice is passed on twice.
func TestAnAnswerThatComesTwice(t *testing.T) {
	address := serving(t, other(nil, func(_ any, stream grpcgo.ServerStream) error {
		var message []byte
		for {
			if err := stream.RecvMsg(&message); err != nil {
				return err
			}
			if err := errors.Join(stream.SendMsg(&message), stream.SendMsg(&message)); err != nil {
				return err
			}
		}
	}), "127.0.0.1:0")
	l := requestertest.Connect(t, factory(t, "grpc://"+address, ""), 0)
	sent := requestertest.Payload(0, 0, 100)
	l.RoundTrip(t, sent)
	l.Want(t, sent)
}

// A call fails alone, with its status.
func TestACallThatFails(t *testing.T) {
	address := serving(t, other(func(message []byte) ([]byte, error) {
		if len(message) == 99 {
			return nil, status.Error(codes.Unavailable, "not now")
		}
		return message, nil
	}, nil), "127.0.0.1:0")
	l := requestertest.Connect(t, factory(t, "grpc://"+address, "mode=unary"), 0)
	l.Send(t, requestertest.Payload(0, 7, 99))
	if failed := l.WantFailure(t, "Unavailable", "not now"); failed.Stamp.Seq != 7 {
		t.Errorf("message %d failed", failed.Stamp.Seq)
	}
	l.RoundTrip(t, requestertest.Payload(0, 8, 100))
	if l.Texts() != "" {
		t.Errorf("events %s", l.Texts())
	}
}

// As many calls are on their way as the option permits, and Teardown ends those that are never answered.
func TestCallsThatAreNotAnswered(t *testing.T) {
	var asked atomic.Int64
	never := make(chan struct{})
	address := serving(t, other(func(message []byte) ([]byte, error) {
		if len(message) == 100 {
			asked.Add(1)
			<-never
		}
		return message, nil
	}, nil), "127.0.0.1:0")
	t.Cleanup(func() { close(never) })
	l := requestertest.Connect(t, factory(t, "grpc://"+address, "mode=unary&calls=3"), 0)
	if limit := l.Traits().InFlight; limit != 3 {
		t.Errorf("%d in flight", limit)
	}
	for seq := range uint64(6) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	requestertest.Until(t, "3 calls", func() bool { return asked.Load() == 3 })
	l.End(t)
	if asked.Load() != 3 || len(l.Failures) != 0 {
		t.Errorf("%d calls, %d failures", asked.Load(), len(l.Failures))
	}
}

// A call that is queued after its link was closed has failed, or was refused.
func TestACallThatIsQueuedWhileItsLinkCloses(t *testing.T) {
	failed, refused := 0, 0
	sink := requester.Replies(func([]byte) {})
	sink.Failed = func(_ []byte, cause error) {
		if failed++; !errors.Is(cause, io.ErrUnexpectedEOF) {
			t.Errorf("it failed because of %v", cause)
		}
	}
	l, err := factory(t, "grpc://"+serving(t, newServer(), "127.0.0.1:0"), "mode=unary").newConn(0, sink).open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.Close(io.ErrUnexpectedEOF)
	const calls = 100
	for seq := range uint64(calls) {
		if l.Send(requestertest.Payload(0, seq, 100)) != nil {
			refused++
		}
	}
	if failed+refused != calls {
		t.Errorf("of %d calls %d failed, and %d were refused", calls, failed, refused)
	}
}

// A stream whose service has stopped reading blocks a request, until its context ends or Teardown.
func TestABlockedStream(t *testing.T) {
	f, p := brokertest.Behind(t, Open, "grpc://"+serving(t, newServer(), "127.0.0.1:0"), "reconnect-wait=1ms")
	l := requestertest.Connect(t, f, 0)
	p.Set(relay.State{Deaf: true, Mute: true})
	brokertest.TeardownEndsABlockedRequest(t, l)
	p.Set(relay.State{})
	l = requestertest.Connect(t, f, 1)
	p.Set(relay.State{Deaf: true, Mute: true})
	ctx, cancel := context.WithCancel(t.Context())
	if err := brokertest.Jam(ctx, l, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("a request whose context has ended: %v", err)
	}
	p.Set(relay.State{})
	l.WantEvents(t, "reconnected after")
	brokertest.StaysUsableAfterAContext(t, requestertest.Connect(t, f, 2))
}

// A connection comes back after its socket was lost, or its service was gone, in both modes.
func TestOutages(t *testing.T) {
	for _, mode := range []string{"mode=stream", "mode=unary&calls=1"} { // one call at a time: messages come back in order
		t.Run(mode, func(t *testing.T) {
			f, p := brokertest.Behind(t, Open, "grpc://"+serving(t, newServer(), "127.0.0.1:0"), mode+"&reconnect-wait=1ms")
			brokertest.CutsComeBack(t, requestertest.Connect(t, f, 0), p)
			brokertest.OutagesLeaveNoGoroutines(t, f, p)
			brokertest.TeardownWhileTheBrokerIsDown(t, requestertest.Connect(t, f, 1), p)
		})
	}
}

// The process of grpc: dies: the requests of its run fail in one line each.
func TestAServiceThatDies(t *testing.T) {
	for _, mode := range modes {
		f := factory(t, "grpc:", mode+"&reconnect-wait=1ms")
		l := requestertest.Connect(t, f, 0)
		if err := f.service.Process().Kill(); err != nil {
			t.Fatal(err)
		}
		l.WantEvents(t, "disconnected", "reconnecting", "connection refused")
		brokertest.WantFault(t, l.Request(t.Context(), requestertest.Payload(0, 0, 100)), "publishing", "connection refused")
		l.End(t)
		if err := f.service.Process().Signal(os.Interrupt); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("%s: the process of the service is there: %v", mode, err)
		}
	}
}

// A service that ends in good order is left, and another one at its address is used.
func TestAServiceThatEnds(t *testing.T) {
	for _, mode := range modes {
		s := newServer()
		address := serving(t, s, "127.0.0.1:0")
		l := requestertest.Connect(t, factory(t, "grpc://"+address, mode+"&reconnect-wait=1ms"), 0)
		l.RoundTrip(t, requestertest.Payload(0, 0, 100))
		go s.GracefulStop() // a stream keeps it up
		if mode == "mode=stream" {
			l.RoundTrip(t, requestertest.Payload(0, 1, 100))
			s.Stop()
		}
		l.WantEvents(t, "disconnected")
		serving(t, newServer(), address)
		l.WantEvents(t, "reconnected after")
		l.GoesOn(t)
	}
}

func TestServeEndsWithItsInput(t *testing.T) {
	var said bytes.Buffer
	if err := Serve(strings.NewReader(""), &said); err != nil || !strings.HasPrefix(said.String(), "127.0.0.1:") {
		t.Errorf("%q, %v", said.String(), err)
	}
}

func TestDescribe(t *testing.T) {
	for url, product := range map[string]string{"grpc://" + serving(t, newServer(), "127.0.0.1:0"): "gRPC", "grpc:": "gRPC service of brokerbench"} {
		d, err := factory(t, url, "mode=unary").Describe(t.Context())
		if err != nil || d.Product != product || d.Client != "google.golang.org/grpc@v"+grpcgo.Version {
			t.Errorf("%+v, %v", d, err)
		}
		brokertest.WantSettings(t, d.Settings, map[string]string{"mode": "unary", "calls": "32", "reconnect-wait": "100ms"})
	}
	brokertest.DescribeExplains(t, factory(t, "grpc://u:geheim@"+brokertest.Refusing(t), ""))
}

// Requests say that they are encrypted if they are.
func TestTheSchemeOfRequests(t *testing.T) {
	if got := credentialsOf(form.SchemeTLS).Clone().Info().SecurityProtocol; got != "tls" {
		t.Errorf("%q", got)
	}
	if got := credentialsOf(form.Scheme).Info().SecurityProtocol; got != "insecure" {
		t.Errorf("%q", got)
	}
}

func BenchmarkRoundTrips(b *testing.B) {
	brokertest.BenchRoundTrips(b, Open, "grpc:", modes, 1<<10)
}

// A service may end a stream before the probe is sent, and SendMsg then says no more than io.EOF.
func TestAStreamThatHasEndedSaysWhy(t *testing.T) {
	l := &link{stream: endedStream{}}
	if err := l.Probe(t.Context(), transport.NewMark()); err != nil {
		t.Errorf("%v, want nil: receive reports why", err)
	}
}

// An endedStream is a stream that the service has ended.
type endedStream struct{ grpcgo.ClientStream }

// SendMsg implements [grpcgo.ClientStream].
func (endedStream) SendMsg(any) error { return io.EOF }

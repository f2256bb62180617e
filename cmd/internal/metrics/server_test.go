package metrics

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// serve serves on a free port until the test is over.
func serve(t *testing.T) *Server {
	t.Helper()
	s, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveUntilTheEnd(t, s)
	return s
}

func serveUntilTheEnd(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// get asks for the metrics in a format, and returns them in that which was given.
func get(t *testing.T, s *Server, format expfmt.Format) (body []byte, given expfmt.Format) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", string(format))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", response.Status, err)
	}
	return body, expfmt.ResponseFormat(response.Header)
}

// scrape asks as Prometheus does that takes native histograms.
func scrape(t *testing.T, s *Server) map[string]*dto.MetricFamily {
	t.Helper()
	body, format := get(t, s, expfmt.NewFormat(expfmt.TypeProtoDelim))
	families := make(map[string]*dto.MetricFamily)
	for decoder := expfmt.NewDecoder(bytes.NewReader(body), format); ; {
		var f dto.MetricFamily
		err := decoder.Decode(&f)
		if errors.Is(err, io.EOF) {
			return families
		}
		if err != nil {
			t.Fatal(err)
		}
		families[f.GetName()] = &f
	}
}

// cellOf returns a cell of a target.
func cellOf(target string) plan.Cell {
	return plan.Cell{
		Target: plan.Target{Name: target, URL: "nats://user:secret@h"}, Repeat: 2,
		Shape: plan.Shape{Rate: 3000, Size: 1024, Connections: 25, InFlight: 1},
	}
}

// progress returns one at the end of an interval.
func progress(target string, times ...time.Duration) measure.Progress {
	h := histogram.New()
	for _, d := range times {
		h.Record(d)
	}
	return measure.Progress{
		Cell: cellOf(target), Elapsed: 10 * time.Second, Interval: true, Done: h.Count(), Outstanding: 7, RateNow: 2999,
		P50: time.Millisecond, P99: 2 * time.Millisecond, P999: 3 * time.Millisecond, Max: 4 * time.Millisecond,
		LagP99Now: 20 * time.Microsecond, HiccupMax: time.Millisecond, Verdict: results.Suspect, Response: h,
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:9464": "", "localhost:0": "", "[::1]:9464": "", "0.0.0.0:9464": "",
		":9464":             "no host: want 127.0.0.1:9464, or 0.0.0.0:9464",
		"9464":              "want host:port",
		"127.0.0.1":         "want host:port",
		"127.0.0.1:prom":    "want a port of 0 to 65535",
		"127.0.0.1:65536":   "want a port of 0 to 65535",
		"127.0.0.1:":        "want a port",
		"http://h:1":        "want host:port",
		"127.0.0.1:80:9464": "want host:port",
	} {
		err := CheckAddress(address)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", address, err, want)
		}
	}
	if _, err := Listen(":9464"); err == nil {
		t.Error("listens without a host")
	}
}

func FuzzCheckAddress(f *testing.F) {
	f.Add("127.0.0.1:9464")
	f.Add(":1")
	f.Add("[::1%lo]:65535")
	f.Fuzz(func(t *testing.T, address string) {
		if CheckAddress(address) != nil {
			return
		}
		if host, _, err := net.SplitHostPort(address); err != nil || host == "" {
			t.Errorf("%q is taken: host %q, %v", address, host, err)
		}
	})
}

func TestAnAddressInUse(t *testing.T) {
	s := serve(t)
	_, err := Listen(s.Address())
	if err == nil || !strings.Contains(err.Error(), s.Address()+" is in use") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want one line that says that %s is in use", err, s.Address())
	}
}

func TestItListensWhereItIsToldAndNowhereElse(t *testing.T) {
	s := serve(t)
	host, port, _ := net.SplitHostPort(s.Address())
	if host != "127.0.0.1" {
		t.Errorf("listens on %s", host)
	}
	other, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", port)) // on Linux all of 127/8 is this machine
	if err != nil {
		t.Skip(err)
	}
	_ = other.Close()
}

// The address is free as soon as Serve has returned, also while somebody reads.
func TestServeEnds(t *testing.T) {
	s, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	idle, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	get(t, s, expfmt.NewFormat(expfmt.TypeTextPlain))
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	again, err := Listen(s.Address())
	if err != nil {
		t.Fatal(err)
	}
	_ = again.listener.Close()
}

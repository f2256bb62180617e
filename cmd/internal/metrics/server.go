// Package metrics serves the progress of a run to Prometheus, with the response
// times as a native histogram. The files of the result are the authority.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/brokerbench/brokerbench/measure"
)

// How long a scrape may take.
const (
	headerTimeout = 5 * time.Second
	closeTimeout  = time.Second // once the run is over
)

// A Server serves /metrics at one address. Make one with [Listen].
type Server struct {
	listener net.Listener
	cells    cells
	instead  prometheus.Collector // of the cells; nil: none
}

// CheckAddress returns what is wrong with an address. It refuses one without a
// host, which would listen on every network of the machine by accident.
func CheckAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q: want host:port, such as 127.0.0.1:9464", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("address %q: want a port of 0 to 65535, such as 127.0.0.1:9464", address)
	}
	if host == "" {
		return fmt.Errorf("address %q has no host: want 127.0.0.1:%s, or 0.0.0.0:%s to let every machine that reaches this one read it", address, port, port)
	}
	return nil
}

// Listen binds to an address, host:port; port 0 is any free one. Nothing is served
// before Serve.
func Listen(address string) (*Server, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address) //nolint:noctx // binding does not wait
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use, perhaps by another run: choose another port", address)
	case err != nil:
		return nil, err
	}
	return &Server{listener: listener}, nil
}

// Address returns where the metrics are served, as host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Instead makes Serve serve a collector in place of the progress of a run. It is called before Serve.
func (s *Server) Instead(c prometheus.Collector) { s.instead = c }

// Progress serves the progress of a cell from now on. It is made for
// measure.Options.Progress. It may be called while Serve runs, from one goroutine
// at a time.
func (s *Server) Progress(now measure.Progress) { s.cells.progress(now) }

// Serve serves until ctx is done. It then gives open requests a second, and frees
// the address. It is called once.
func (s *Server) Serve(ctx context.Context) error {
	registry := prometheus.NewPedanticRegistry()
	if s.instead != nil {
		registry.MustRegister(s.instead)
	} else {
		registry.MustRegister(&s.cells)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	server := http.Server{Handler: mux, ReadHeaderTimeout: headerTimeout, WriteTimeout: headerTimeout}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving metrics: %w", err)
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if server.Shutdown(patience) != nil {
		_ = server.Close() // a reader is too slow
	}
	<-ended
	return nil
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A service is the [requester.Factory] of an HTTP service. It carries one message at a
// time over each connection, as [requester.BlockingFactory] does.
type service struct {
	requester.BlockingFactory
	target   target.Target
	url      string
	reuse    bool // a TCP connection for all requests, not one for each
	settings []requester.Setting
}

// define defines the options, with their defaults.
func (s *service) define(o target.Options) {
	o.BoolVar(&s.reuse, "keep-alive", true, "send all requests of a connection over one TCP connection")
}

// options implements brokers.Broker.Options.
func options(string) []requester.Setting {
	return target.NewOptions("rest", new(service).define).Settings()
}

// open implements brokers.Broker.Open.
func open(t target.Target, _ string) (requester.Factory, error) {
	at := url.URL{Scheme: "http", Host: t.Addrs("80")[0], Path: "/" + t.Path}
	s := &service{target: t, url: at.String()}
	set := target.NewOptions("rest", s.define)
	if err := set.Apply(t.Query); err != nil {
		return nil, fmt.Errorf("target %s: %w", t, err)
	}
	s.settings, s.BlockingFactory = set.Settings(), s.connect
	return s, nil
}

// connect implements requester.BlockingFactory.
func (s *service) connect(int) (do requester.Do, teardown func() error, err error) {
	transport := &http.Transport{MaxConnsPerHost: 1, DisableKeepAlives: !s.reuse, DisableCompression: true}
	client := &http.Client{Transport: transport}
	do = func(ctx context.Context, payload []byte) ([]byte, error) {
		body, _, err := s.post(ctx, client, payload)
		return body, err
	}
	return do, func() error { transport.CloseIdleConnections(); return nil }, nil
}

// post sends a payload and returns the answer. Its error names target and remedy.
func (s *service) post(ctx context.Context, client *http.Client, payload []byte) ([]byte, http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(payload))
	if err != nil {
		return nil, nil, target.Explain(s.target, "making a request", err)
	}
	if s.target.User != "" {
		request.SetBasicAuth(s.target.User, s.target.Password)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, target.Explain(s.target, "sending a request", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("the service says %s", response.Status)
	}
	return body, response.Header, target.Explain(s.target, "reading the answer", err)
}

// Describe implements [requester.Describer]: it names the service and lists its options.
func (s *service) Describe(ctx context.Context) (requester.Description, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	_, header, err := s.post(ctx, &http.Client{Transport: transport}, []byte("who are you?"))
	return requester.Description{Product: "HTTP", Version: header.Get("Server"), Client: "net/http", Settings: s.settings}, err
}

package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/service"
)

// Serve is the service: it writes its address, and ends with in.
func Serve(in io.Reader, out io.Writer) error {
	server := &http.Server{Handler: echo(), Protocols: new(http.Protocols), ReadHeaderTimeout: time.Minute}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	serve := func(l net.Listener) error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
	return service.Serve(in, out, serve, func() { _ = server.Close() })
}

// echo answers with the body.
func echo() http.Handler {
	bodies := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bodies.Get().(*bytes.Buffer)
		defer bodies.Put(body)
		body.Reset()
		if _, err := body.ReadFrom(r.Body); err != nil {
			return // the client has gone
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", fmt.Sprint(body.Len()))
		_, _ = w.Write(body.Bytes())
	})
}

// Command service is what ownbroker measures: an HTTP server that answers each request
// with its body. It prints its URL.
//
//	go run ./examples/ownbroker/service 127.0.0.1:8080
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: service HOST:PORT")
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stdout, "http://%s/echo\n", listener.Addr())
	server := http.Server{Handler: http.HandlerFunc(echo), ReadHeaderTimeout: time.Minute}
	log.Fatal(server.Serve(listener))
}

// echo answers a request with its body.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Server", "echo/1")
	w.Header().Set("Content-Type", "application/octet-stream")
	if body, err := io.ReadAll(r.Body); err == nil {
		_, _ = w.Write(body)
	}
}

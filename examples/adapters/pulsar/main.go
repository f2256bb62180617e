// Command brokerbench-pulsar is an adapter that carries messages through Apache Pulsar:
//
//	go build -o brokerbench-pulsar . # in this folder
//	brokerbench run "exec:./brokerbench-pulsar pulsar://127.0.0.1:6650"
//
// Each connection has a topic, with a producer and a consumer. A message is acknowledged with the
// broker's send receipt. It is a separate module, because Pulsar's client needs some 200 packages.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/apache/pulsar-client-go/pulsar"
)

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		a := &adapter{options: o, out: &output{to: os.Stdout}, links: make(map[uint32]*link)}
		err = a.serve(bufio.NewReaderSize(os.Stdin, 256<<10))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "brokerbench-pulsar:", err)
		os.Exit(2)
	}
}

// An adapter serves all connections of a cell.
type adapter struct {
	options options
	out     *output
	run     string
	client  pulsar.Client // nil before the first setup

	mu    sync.Mutex
	links map[uint32]*link
}

// serve reads frames until the input ends. Only setup, teardown and audit may take long: each has a
// goroutine.
func (a *adapter) serve(in *bufio.Reader) error {
	var slow sync.WaitGroup
	for {
		f, err := read(in)
		if err != nil {
			break // brokerbench has ended it, or is gone
		}
		switch f.kind {
		case hello:
			a.greet(f.body)
		case setup:
			slow.Go(func() { a.out.answer(setup, f.conn, a.open(f.conn)) })
		case send:
			if l := a.link(f.conn); l != nil {
				l.send(f.body)
			}
		case teardown:
			slow.Go(func() { a.out.answer(teardown, f.conn, a.close(f.conn)) })
		case audit:
			slow.Go(func() { a.out.answer(audit, f.conn, a.audit(f.conn)) })
		default:
			return fmt.Errorf("a frame of type %d is not known", f.kind)
		}
	}
	slow.Wait()
	for conn := range a.links {
		_ = a.close(conn)
	}
	return nil
}

// greet answers hello.
func (a *adapter) greet(body []byte) {
	level := ""
	for line := range strings.Lines(string(body)) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), "="); name {
		case "run":
			a.run = value
		case "durability":
			level = value
		}
	}
	var err error
	if a.client == nil {
		a.client, err = pulsar.NewClient(a.options.client())
	}
	if err = errors.Join(err, a.options.keeps(level)); err != nil {
		a.out.answer(hello, 0, err)
		return
	}
	a.out.write(hello, 0, []byte(a.description()))
}

// description is the answer to hello.
func (a *adapter) description() string {
	o := a.options
	return fmt.Sprintf("protocol=1\nproduct=Pulsar\nclient=%s\nacknowledges=true\nin-flight=%d\ndurability=%s\naudit=%t\n"+
		"setting.subscription-type=%s\nsetting.batching-delay=%v\nsetting.non-persistent=%t\n",
		clientVersion(), pending, o.durability, !o.nonPersistent, o.subscription, o.batchingDelay, o.nonPersistent)
}

// clientVersion returns the module of the client with its version.
func clientVersion() string {
	const module = "github.com/apache/pulsar-client-go"
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return module + "@" + dep.Version
			}
		}
	}
	return module
}

func (a *adapter) link(conn uint32) *link {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.links[conn]
}

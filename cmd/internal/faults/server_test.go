//go:build linux

package faults

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A server is a broker of one attempt's, with a configuration of its own.
type server struct {
	a       *attempt
	address string
	config  string // the path of its configuration
	process *os.Process
}

// serve starts a server that listens at the address, and ends it with the test.
func (a *attempt) serve(address, config string, command ...string) *server {
	a.t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	log := a.file("server.log")
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if !soon(func() bool { return listens(address) }) {
		a.t.Fatalf("%v does not listen: %s", command, a.said("server.log"))
	}
	return &server{a, address, config, cmd.Process}
}

func listens(address string) bool {
	c, err := net.Dial("tcp", address)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// free returns an address at which nothing listens.
func (a *attempt) free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startNATS starts a NATS server with a configuration.
func startNATS(a *attempt, config string) *server {
	path, address := filepath.Join(a.folder, "nats.conf"), a.free()
	s := &server{a: a, config: path}
	s.configure(config)
	host, port, _ := net.SplitHostPort(address)
	return a.serve(address, path, a.broker.file("nats-server"), "-a", host, "-p", port, "-c", path)
}

// configure writes another configuration.
func (s *server) configure(text string) {
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		s.a.t.Fatal(err)
	}
}

// reload has a NATS server read another configuration.
func (s *server) reload(text string) {
	s.configure(text)
	_ = s.process.Signal(syscall.SIGHUP)
	time.Sleep(100 * time.Millisecond)
}

// startRedis starts a Redis server with more settings.
func startRedis(a *attempt, settings ...string) *server {
	address := a.free()
	_, port, _ := net.SplitHostPort(address)
	return a.serve(address, "", append([]string{"redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no"}, settings...)...)
}

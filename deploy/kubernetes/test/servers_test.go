package kubernetes_test

import (
	"net"
	"net/url"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
	"go.etcd.io/etcd/server/v3/embed"
)

// etcd serves at a URL and keeps its data in a folder, until the test ends.
func etcd(dir, client string) error {
	at, err := url.Parse(client)
	if err != nil {
		return err
	}
	config := embed.NewConfig()
	config.Dir, config.UnsafeNoFsync, config.LogLevel = dir, true, "warn"
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*at}, []url.URL{*at}
	config.ListenPeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	e, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	return <-e.Err()
}

// natsServer is the broker that is measured.
func natsServer(addr string) error {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	s, err := server.NewServer(&server.Options{Host: host, Port: port, NoSigs: true, NoLog: true})
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}

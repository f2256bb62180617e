// Package info reads what a Redis server says about itself.
package info

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/requester"
)

// Field returns the value of the line "name:value" in the output of INFO.
func Field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && key == name {
			return value
		}
	}
	return ""
}

// PubsubLimit returns the hard limit of subscribers in a value such as
// "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60".
func PubsubLimit(value string) int64 {
	_, of, _ := strings.Cut(value, "pubsub ")
	hard, _, _ := strings.Cut(of, " ")
	n, _ := strconv.ParseInt(hard, 10, 64)
	return n
}

// Leadership reads the leader from the replication section of a server at addr.
func Leadership(info, addr string) (l requester.Leadership, err error) {
	l.What = "the data of the servers"
	if Field(info, "role") == "slave" {
		l.Leader = net.JoinHostPort(Field(info, "master_host"), Field(info, "master_port"))
		l.Followers = []string{addr}
		if Field(info, "master_link_status") != "up" {
			return l, fmt.Errorf("%s is a replica of %s, which does not answer it", addr, l.Leader)
		}
		return l, nil
	}
	l.Leader, l.InStep, l.Copies = addr, 1, 1
	for i := 0; ; i++ {
		replica := Field(info, "slave"+strconv.Itoa(i))
		if replica == "" {
			return l, nil
		}
		l.Copies++
		of := attributes(replica)
		l.Followers = append(l.Followers, net.JoinHostPort(of["ip"], of["port"]))
		if lag, err := strconv.Atoi(of["lag"]); err == nil && lag <= 1 && of["state"] == "online" {
			l.InStep++
		}
	}
}

// attributes reads ip=127.0.0.1,port=6380,state=online.
func attributes(text string) map[string]string {
	of := make(map[string]string)
	for pair := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(pair, "=")
		of[name] = value
	}
	return of
}

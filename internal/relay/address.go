package relay

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
)

// Binary returns the rewrite of an address as RabbitMQ's stream protocol and Kafka's write it:
// the host, and the port as 4 bytes. Both hosts must be written in the same way, because no
// length may change.
func Binary(node, relay string) (Rewrite, error) {
	from, host, err := written(node)
	if err != nil {
		return Rewrite{}, err
	}
	to, other, err := written(relay)
	if err != nil {
		return Rewrite{}, err
	}
	if host != other {
		return Rewrite{}, fmt.Errorf("%s is not at %s: the addresses that it tells its clients cannot be replaced", node, other)
	}
	return Rewrite{Old: from, New: to}, nil
}

func written(addr string) (bytes []byte, host string, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return binary.BigEndian.AppendUint32([]byte(host), uint32(n)), host, err
}

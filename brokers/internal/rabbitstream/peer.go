package rabbitstream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

var (
	errHandshake = errors.New("shaking hands")
	errNotStream = errors.New("the answer is none of the stream protocol")
)

// The command that asks for the properties of the peer, which comes before the password,
// and its answer.
const (
	peerProperties = 0x0011
	response       = 0x8000
	mostAnswer     = 64 << 10 // bytes
)

// peer asks a host for its properties. The client library takes no context and keeps the answer
// to itself; peer finds out in time whether a host is there, and is a stream listener.
func (f *Factory) peer(ctx context.Context, addr string) (map[string]string, error) {
	return transport.DialHost(ctx, f.broker.Dialer(), addr, func(ctx context.Context, s transport.Socket, conn net.Conn) (map[string]string, error) {
		defer s.Cut()
		properties, err := askPeer(conn)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errHandshake, target.Because(ctx, err))
		}
		return properties, nil
	})
}

// askPeer writes the question and reads the answer.
func askPeer(socket io.ReadWriter) (map[string]string, error) {
	question := []byte{0, 0, 0, 12, 0, peerProperties, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0} // no properties of ours
	if _, err := socket.Write(question); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(socket, size[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(size[:])
	if length < 14 || length > mostAnswer {
		return nil, errNotStream
	}
	answer := make([]byte, length)
	if _, err := io.ReadFull(socket, answer); err != nil {
		return nil, err
	}
	return readPeer(answer)
}

// readPeer reads an answer: key, version, correlation, code, and pairs of strings.
func readPeer(answer []byte) (map[string]string, error) {
	if len(answer) < 14 || binary.BigEndian.Uint16(answer) != response|peerProperties {
		return nil, errNotStream
	}
	properties := make(map[string]string)
	for rest := answer[14:]; len(rest) > 0; {
		var name, value string
		var ok bool
		if name, rest, ok = readText(rest); ok {
			value, rest, ok = readText(rest)
		}
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		properties[name] = value
	}
	return properties, nil
}

// readText reads a string behind its length.
func readText(from []byte) (text string, rest []byte, ok bool) {
	if len(from) < 2 {
		return "", nil, false
	}
	length := int(binary.BigEndian.Uint16(from))
	if from = from[2:]; len(from) < length {
		return "", nil, false
	}
	return string(from[:length]), from[length:], true
}

package rabbitstream

import (
	"crypto/tls"
	"fmt"
	"net"
	"reflect"
	"unsafe"
)

// socketOf returns the socket of a producer or a consumer. The client does not export it, and
// cannot end a write that the broker does not read: closing the producer waits for that write. A
// test fails if a new version of the client keeps the socket in another field.
func socketOf(end any) (net.Conn, error) {
	field := reflect.ValueOf(end).Elem().FieldByName("client")
	for _, name := range []string{"socket", "connection"} {
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		if field.Kind() != reflect.Struct {
			return nil, fmt.Errorf("the client has no %s", name)
		}
		field = field.FieldByName(name)
	}
	if !field.IsValid() || field.Type() != reflect.TypeFor[net.Conn]() {
		return nil, fmt.Errorf("the client has no socket where it is looked for")
	}
	socket := *(*net.Conn)(unsafe.Pointer(field.UnsafeAddr())) //nolint:gosec // read once, of the type that was checked
	if secured, ok := socket.(*tls.Conn); ok {
		return secured.NetConn(), nil // the close of TLS waits for a write that hangs
	}
	return socket, nil
}

package kafka

import "github.com/brokerbench/brokerbench/requester"

// An ackConn is a connection whose messages are acknowledged: with acks=1 by the leader,
// with acks=all by all in-sync replicas. With acks=0 franz-go calls a message produced once
// it is written to the socket: that is no acknowledgement, so such a connection is none.
type ackConn struct{ *conn }

var (
	_ requester.Acknowledger    = ackConn{}
	_ requester.FailureNotifier = ackConn{}
	_ requester.Witness         = ackConn{}
	_ requester.Leaver          = ackConn{}
)

// NotifyAck implements [requester.Acknowledger]. franz-go's goroutine itself calls ack:
// another one would add its wake-up to every acknowledgement. That goroutine also makes room
// for requests (see failures), but an acknowledgement frees no slot of the engine's, so that
// no request is made from ack.
func (c ackConn) NotifyAck(ack func(payload []byte)) { c.acked = ack }

// Package transport is the code that the connections to all brokers share: reconnecting,
// cancelling a write that hangs, queueing messages for a client that would block, and
// reporting what happens to a connection.
package transport

// Package tcp puts the loopback system behind real sockets: a server that is to
// run in a process of its own, and the requester that talks to it. Its behaviour
// is known exactly, as that of package loopback; what else is measured is the
// tool and the kernel. With a zero [loopback.Config] it is an echo, the floor
// below which no broker can be; else it is what `brokerbench verify` proves the
// engine with.
//
// It is no broker.
package tcp

// Package tcp puts the loopback system behind real sockets: a server, which runs in
// a process of its own, and a requester for it. Because the system does exactly
// what its configuration says, whatever else is measured comes from the tool and
// the kernel. With a zero [loopback.Config] it is an echo: the floor, which no
// broker can be faster than. With delays and freezes `brokerbench verify` proves
// the engine with it. It is not a broker.
package tcp

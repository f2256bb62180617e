// Package tcp puts the loopback system behind real sockets: a server, which runs in
// a separate process, and a requester for it. Because the system follows its
// configuration exactly, everything else in a measurement comes from the tool and
// the kernel. With a zero [loopback.Config] it is an echo: the floor, which no
// broker can be faster than. With delays and freezes `brokerbench verify` proves
// the engine with it. It is not a broker.
package tcp

package relay

// A Piece is a part of what one side of a connection says.
type Piece struct {
	Up         bool  // it is on its way to the node
	Connection int   // from 1, in the order of accepting
	Before     int64 // bytes of this connection that went the same way before it
	Bytes      []byte
}

// A Through returns the bytes that are passed on in place of a piece; nothing, if they are empty. It
// may change the piece's own, and may take its time: later pieces of the same direction wait. It is
// called by several goroutines.
type Through func(Piece) []byte

// Swallow passes nothing on, as a broker that accepts and then says nothing.
func Swallow(Piece) []byte { return nil }

// SilentAfter passes on the first bytes that the broker says on each connection,
// and nothing after them.
func SilentAfter(bytes int64) Through {
	return func(piece Piece) []byte {
		if piece.Up {
			return piece.Bytes
		}
		return piece.Bytes[:max(0, min(bytes-piece.Before, int64(len(piece.Bytes))))]
	}
}

// faults are what tests make a relay do; protected by its lock.
type faults struct {
	through   Through
	refuses   bool
	connected func(number int)
}

// Pass sends every piece through a function from now on. With nil, pieces pass unchanged.
func (r *Relay) Pass(through Through) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.through = through
}

// Refuse closes new connections at once.
func (r *Relay) Refuse(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = on
}

// OnConnect calls a function with the number of each connection, before it is passed on.
func (r *Relay) OnConnect(connected func(number int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connected = connected
}

// Cut closes every connection; with reset, by a RST.
func (r *Relay) Cut(reset bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.links {
		l.close(reset)
	}
}

// HalfClose tells every client that the broker sends no more, and goes on passing
// to the broker what the client sends.
func (r *Relay) HalfClose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.links {
		l.halved = true
		_ = l.client.CloseWrite()
	}
}

// Accepted returns how many connections clients have made so far.
func (r *Relay) Accepted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.number
}

// Open returns how many of the first n connections that clients have made are
// passed on now.
func (r *Relay) Open(n int) (open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.links {
		if l.number <= n && l.node != nil {
			open++
		}
	}
	return open
}

// admits tells whether a new connection is passed on.
func (r *Relay) admits(number int) bool {
	r.mu.Lock()
	connected := r.connected
	r.mu.Unlock()
	if connected != nil {
		connected(number) // it may call the relay
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.refuses
}

// replaced returns the bytes that are passed on in place of a piece.
func (r *Relay) replaced(l *link, p Piece) []byte {
	r.mu.Lock()
	through := r.through
	if !p.Up && l.halved {
		through = Swallow
	}
	r.mu.Unlock()
	if through == nil || len(p.Bytes) == 0 {
		return p.Bytes
	}
	return through(p)
}

package proxy

import (
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// A Piece is what a proxy read from one side of a connection.
type Piece = relay.Piece

// A Through returns what is passed on in place of a piece, see [relay.Hooks].
type Through func(Piece) []byte

// Swallow passes nothing on, as a broker that accepts and then says nothing.
func Swallow(Piece) []byte { return nil }

// SwallowFrom is Swallow for the nth connection, counted from 1, and those after it.
func SwallowFrom(nth int) Through {
	return func(piece Piece) []byte {
		if piece.Connection >= nth {
			return nil
		}
		return piece.Bytes
	}
}

// Delay holds every piece for a while.
func Delay(d time.Duration) Through {
	return func(piece Piece) []byte {
		time.Sleep(d)
		return piece.Bytes
	}
}

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

// Duplicate passes on twice what the broker says.
func Duplicate(piece Piece) []byte {
	if piece.Up {
		return piece.Bytes
	}
	return append(piece.Bytes, piece.Bytes...)
}

// Garble spoils one byte of each piece that the broker says.
func Garble(piece Piece) []byte {
	if !piece.Up {
		piece.Bytes[len(piece.Bytes)/2] ^= 0x20
	}
	return piece.Bytes
}

// Drop loses one of n pieces that the broker says.
func Drop(n int64) Through {
	var pieces atomic.Int64
	return func(piece Piece) []byte {
		if !piece.Up && pieces.Add(1)%n == 0 {
			return nil
		}
		return piece.Bytes
	}
}

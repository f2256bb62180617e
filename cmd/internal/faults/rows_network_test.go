//go:build linux

package faults

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// network are rows in which a proxy misbehaves in the middle of the window.
func network() []row {
	through := func(a *attempt) { a.url = a.broker.through() }
	pass := func(t relay.Through) func(*attempt) {
		return func(a *attempt) { a.broker.proxy.Pass(t) }
	}
	rows := []row{
		{fault: "a proxy"},
		{fault: "late by 30 ms", during: func(a *attempt) { a.broker.proxy.Set(relay.State{Delay: 30 * time.Millisecond}) }},
		{fault: "frozen for 1 s", during: func(a *attempt) {
			a.broker.proxy.Set(relay.State{Deaf: true, Mute: true})
			time.Sleep(time.Second)
			a.broker.proxy.Set(relay.State{})
		}},
		{fault: "pieces lost", during: pass(drop(20)), exit: []int{0, 4}, leaves: true, late: unanswered},
		{fault: "pieces twice", during: pass(duplicate), exit: []int{0, 4}, leaves: true},
		{fault: "bytes spoiled", during: pass(garble), exit: []int{0, 4}, leaves: true},
		{fault: "cut", during: func(a *attempt) { a.broker.proxy.Cut(false) }, exit: []int{0, 4}},
		{fault: "reset", during: func(a *attempt) { a.broker.proxy.Cut(true) }, exit: []int{0, 4}},
		{fault: "half-closed", during: halfClosed, window: 5 * time.Second, exit: []int{0, 4}},
		{fault: "cut for good", during: cutForGood, exit: []int{4}, leaves: true},
		{fault: "black hole", during: pass(relay.Swallow), exit: []int{4}, leaves: true, late: unanswered},
		{fault: "the broker reads no more", during: func(a *attempt) { a.broker.proxy.Set(relay.State{Deaf: true}) }, exit: []int{4}, leaves: true, late: unanswered},
		{fault: "cut, then a black hole", during: cutThenDeaf, exit: []int{4}, leaves: true, late: unanswered},
		{
			fault: "cut, then a black hole; Ctrl-C twice", exit: []int{130}, leaves: true, window: time.Minute, late: -50 * time.Second,
			during: func(a *attempt) {
				cutThenDeaf(a)
				a.signal(syscall.SIGINT)
				time.Sleep(500 * time.Millisecond)
				a.signal(syscall.SIGINT)
			},
		},
		{fault: "cut, then a black hole, 40 connections", args: []string{"--connections", "40"}, during: cutThenDeaf, exit: []int{4}, leaves: true, late: unanswered},
	}
	for i := range rows {
		rows[i].before = through
	}
	return rows
}

// duplicate passes on twice what the broker says.
func duplicate(piece relay.Piece) []byte {
	if piece.Up {
		return piece.Bytes
	}
	return append(piece.Bytes, piece.Bytes...)
}

// garble spoils one byte of each piece that the broker says.
func garble(piece relay.Piece) []byte {
	if !piece.Up {
		piece.Bytes[len(piece.Bytes)/2] ^= 0x20
	}
	return piece.Bytes
}

// drop loses one of n pieces that the broker says.
func drop(n int64) relay.Through {
	var pieces atomic.Int64
	return func(piece relay.Piece) []byte {
		if !piece.Up && pieces.Add(1)%n == 0 {
			return nil
		}
		return piece.Bytes
	}
}

func cutForGood(a *attempt) {
	a.broker.proxy.Refuse(true)
	a.broker.proxy.Cut(false)
}

func cutThenDeaf(a *attempt) {
	a.broker.proxy.Pass(relay.Swallow)
	a.broker.proxy.Cut(false)
}

// halfClosed wants our side to close what the broker's side has closed, and not only
// at its end. Kafka's falls short of that: its client library reads a connection only
// while it waits for an answer. So one to the seed, idle since the setup, may stay for
// each client until the run ends.
func halfClosed(a *attempt) {
	p, idle := a.broker.proxy, 0
	if a.broker.name == "kafka" {
		idle = connections
	}
	before := p.Accepted()
	p.HalfClose()
	if !within(2*time.Second, func() bool { return p.Open(before) <= idle }) {
		a.fall("%d connections stay open", p.Open(before))
	}
}

// setups are rows in which the broker goes silent while connections are set up.
func setups() (rows []row) {
	// A connection may take 30 s to be set up.
	const patience = 35 * time.Second
	for _, bytes := range []int64{0, 1, 100, 400} {
		rows = append(rows, row{
			fault: fmt.Sprintf("silent after %d B of the setup", bytes), exit: []int{1, 4}, leaves: true, late: patience,
			before: func(a *attempt) {
				a.url = a.broker.through()
				a.broker.proxy.Pass(relay.SilentAfter(bytes))
			},
		})
	}
	for _, nth := range []int{1, 2, 3, 7} {
		rows = append(rows, row{
			fault: fmt.Sprintf("silent from connection %d on", nth), exit: []int{0, 1, 4}, leaves: true, late: patience,
			before: func(a *attempt) {
				a.url = a.broker.through()
				first := a.broker.proxy.Accepted()
				a.broker.proxy.Pass(func(piece relay.Piece) []byte {
					if piece.Connection-first >= nth {
						return nil
					}
					return piece.Bytes
				})
			},
		}, row{
			fault: fmt.Sprintf("gone from connection %d on", nth), exit: []int{0, 1, 4}, leaves: true, late: patience,
			before: func(a *attempt) {
				a.url = a.broker.through()
				first := a.broker.proxy.Accepted()
				var gone atomic.Bool
				a.broker.proxy.Pass(func(piece relay.Piece) []byte {
					if piece.Connection-first >= nth && !gone.Swap(true) {
						go cutForGood(a)
					}
					return piece.Bytes
				})
			},
		})
	}
	return rows
}

//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// streamByHand is Redis Streams over two sockets that go-redis has dialled: XADD is
// written to one, whose replies are the acknowledgements, and XREAD to the other; or, with
// a group, XREADGROUP and the XACK of what the one before it has brought.
func streamByHand(grouped bool) dial {
	return func(ctx context.Context, url string, received, acked func()) (link, error) {
		o, err := redisOptions(url)
		if err != nil {
			return link{}, err
		}
		key := unique()
		client := redis.NewClient(o)
		if grouped {
			err = client.XGroupCreateMkStream(ctx, key, key, "0").Err()
		}
		up, hangUp, err1 := socketByHand(ctx, *o)
		down, hangDown, err2 := socketByHand(ctx, *o)
		l := link{close: func() {
			hangUp()
			hangDown()
			_, _ = client.Unlink(context.WithoutCancel(ctx), key), client.Close()
		}}
		if err := errors.Join(err, err1, err2); err != nil {
			l.close()
			return link{}, err
		}
		go takeAdded(bufio.NewReader(up), acked)
		go readStream(down, key, grouped, received)
		l.publish = commander(up, "*5\r\n"+words("XADD", key, "*", "m")+"$")
		return l, nil
	}
}

// words writes words of a command as the protocol has them.
func words(words ...string) (text string) {
	for _, word := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	return text
}

// takeAdded reads the IDs that XADD returns, until its connection is closed.
func takeAdded(r *bufio.Reader, acked func()) {
	for {
		head, err := r.ReadSlice('\n')
		if err != nil || head[0] != '$' { // refused: acknowledgements will be missing
			return
		}
		if _, err := r.ReadSlice('\n'); err != nil {
			return
		}
		acked()
	}
}

// readStream reads a stream until its connection is closed.
func readStream(socket net.Conn, key string, grouped bool, received func()) {
	s := stream{Reader: bufio.NewReaderSize(socket, 32<<10), received: received, last: []byte("0-0")}
	read := "*8\r\n" + words("XREAD", "COUNT", "100", "BLOCK", "0", "STREAMS", key)
	if grouped {
		read = "*11\r\n" + words("XREADGROUP", "GROUP", key, key, "COUNT", "100", "BLOCK", "0", "STREAMS", key) + words(">")
	}
	done := words("XACK", key, key)
	var frame []byte
	for {
		frame = frame[:0]
		switch {
		case grouped && s.n > 0:
			frame = append(fmt.Appendf(frame, "*%d\r\n%s", 3+s.n, done), s.ids...)
			frame = append(frame, read...)
		case grouped:
			frame = append(frame, read...)
		default:
			frame = fmt.Appendf(append(frame, read...), "$%d\r\n%s\r\n", len(s.last), s.last)
		}
		_, err := socket.Write(frame)
		if err == nil && grouped && s.n > 0 {
			_, err = s.lines(1) // how many XACK has found
		}
		if err != nil || s.take() != nil {
			return
		}
	}
}

// A stream reads replies of which nothing holds a line feed but at its end.
type stream struct {
	*bufio.Reader

	received func()
	n        int    // messages of the last reply
	ids      []byte // theirs, as the protocol has them
	last     []byte // the last one
}

// take reads the messages of a reply.
func (s *stream) take() error {
	// Before them: a list of one stream, which is a pair of its key and of a list.
	count, err := s.lines(5)
	if err != nil {
		return err
	}
	s.ids = s.ids[:0]
	if s.n, err = strconv.Atoi(string(bytes.TrimSpace(count[1:]))); err != nil {
		return err
	}
	for range s.n {
		// A pair of an ID and of a list of one field and its value.
		size, err := s.lines(2)
		if err != nil {
			return err
		}
		s.ids = append(s.ids, size...)
		id, err := s.lines(1)
		if err != nil {
			return err
		}
		s.ids = append(s.ids, id...)
		s.last = append(s.last[:0], bytes.TrimSpace(id)...)
		if _, err := s.lines(5); err != nil {
			return err
		}
		s.received()
	}
	return nil
}

// lines reads so many lines and returns the last.
func (s *stream) lines(n int) (last []byte, err error) {
	for ; n > 0 && err == nil; n-- {
		last, err = s.ReadSlice('\n')
	}
	return last, err
}

package redis

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
)

// A refused is an error that the server answered. The connection goes on.
type refused string

func (r refused) Error() string { return string(r) }

// errGone is why a message was not added: XADD with NOMKSTREAM makes no stream.
var errGone = errors.New("the stream is gone")

// errReply is why a connection ends whose replies cannot be understood.
var errReply = errors.New("unexpected reply")

// replies reads the replies of a server, in RESP 2 or 3, to the commands of streams.
type replies struct {
	*bufio.Reader
	id, payload []byte // of one message; used again for the next
}

func newReplies(socket net.Conn, buffer int) *replies {
	return &replies{Reader: bufio.NewReaderSize(socket, buffer)}
}

// head reads the first line of a reply: its kind, and the number or the length that it
// says. Nothing, which has several forms, is of kind '_'.
func (r *replies) head() (kind byte, n int64, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		return 0, 0, fmt.Errorf("%w: an empty line", errReply)
	}
	switch kind = line[0]; kind {
	case '-':
		return kind, 0, refused(line[1:])
	case '_':
		return kind, 0, nil
	case '$', '*', '%', ':':
		n, err = strconv.ParseInt(string(line[1:]), 10, 64)
		if err == nil && n < 0 && kind != ':' {
			return '_', 0, nil
		}
	default:
		err = fmt.Errorf("%w: %.40q", errReply, line)
	}
	return kind, n, err
}

// want reads the first line of a reply of one of these kinds.
func (r *replies) want(kinds string) (kind byte, n int64, err error) {
	kind, n, err = r.head()
	if err == nil && strings.IndexByte(kinds, kind) < 0 {
		err = fmt.Errorf("%w of kind %q, want one of %q", errReply, kind, kinds)
	}
	return kind, n, err
}

// maxBulk bounds what a reply can make us allocate: it is the most that a server takes
// by default.
const maxBulk = 512 << 20

// bulk reads a string into b, which it makes longer if need be.
func (r *replies) bulk(b []byte) ([]byte, error) {
	_, n, err := r.want("$")
	if err != nil {
		return b[:0], err
	}
	if n > maxBulk {
		return b[:0], fmt.Errorf("%w: a string of %d B", errReply, n)
	}
	b = slices.Grow(b[:0], int(n))[:n]
	if _, err = io.ReadFull(r, b); err == nil {
		_, err = r.Discard(len("\r\n"))
	}
	return b, err
}

// added reads the reply to XADD.
func (r *replies) added() error {
	kind, n, err := r.want("$_")
	if err == nil && kind == '_' {
		return errGone
	}
	if err == nil {
		_, err = r.Discard(int(n) + len("\r\n"))
	}
	return err
}

// counts reads a number, or several of them.
func (r *replies) counts(into []int64) ([]int64, error) {
	kind, n, err := r.want(":*")
	if err != nil || kind == ':' {
		return append(into[:0], n), err
	}
	into = into[:0]
	for range n {
		_, count, err := r.want(":")
		if err != nil {
			return into, err
		}
		into = append(into, count)
	}
	if len(into) == 0 {
		err = fmt.Errorf("%w: no numbers", errReply)
	}
	return into, err
}

// read reads the reply to XREAD or XREADGROUP of one stream, and calls each for each
// message; the bytes are used again for the next.
func (r *replies) read(each func(id, payload []byte)) (n int64, err error) {
	kind, streams, err := r.want("*%_")
	if err != nil || kind == '_' || streams == 0 {
		return 0, err
	}
	if streams != 1 {
		return 0, fmt.Errorf("%w: %d streams", errReply, streams)
	}
	if kind == '*' { // RESP 2 has a pair where RESP 3 has key and value of a map
		if _, _, err = r.want("*"); err != nil {
			return 0, err
		}
	}
	if r.id, err = r.bulk(r.id); err != nil { // the stream's name
		return 0, err
	}
	return r.entries(each)
}

// entries reads the messages of a stream, such as the reply to XRANGE.
func (r *replies) entries(each func(id, payload []byte)) (n int64, err error) {
	kind, n, err := r.want("*_")
	if err != nil || kind == '_' {
		return 0, err
	}
	for range n {
		if err = r.entry(); err != nil {
			return n, err
		}
		each(r.id, r.payload)
	}
	return n, nil
}

// entry reads a message: its ID, and fields with their values, of which the last is
// the payload. One that was removed meanwhile has none.
func (r *replies) entry() error {
	if _, _, err := r.want("*"); err != nil {
		return err
	}
	var err error
	if r.id, err = r.bulk(r.id); err != nil {
		return err
	}
	_, words, err := r.want("*_")
	r.payload = r.payload[:0]
	for ; words > 0 && err == nil; words-- {
		r.payload, err = r.bulk(r.payload)
	}
	return err
}

//go:build linux

package witness

import (
	"bytes"
	"fmt"
	"strconv"
)

// nats reads the protocol of NATS. JetStream acknowledges with a message to the reply subject of
// the publish, which may arrive on another connection.
func (t *talk) nats() *protocol {
	return &protocol{
		client: func(data []byte) (int, error) {
			words, body, n, err := natsUnit(data, "PUB", "HPUB")
			if m, ok := t.message(body); n > 0 && ok {
				t.noteMessage(Published, m)
				if len(words) > 2 {
					t.w.open[words[1]] = m
				}
			}
			return n, err
		},
		server: func(data []byte) (int, error) {
			words, body, n, err := natsUnit(data, "MSG", "HMSG")
			if n == 0 || len(words) == 0 {
				return n, err
			}
			t.note(Delivered, body)
			if m, ok := t.w.open[words[0]]; ok && bytes.Contains(body, []byte(`"seq":`)) && !bytes.Contains(body, []byte(`"error":`)) {
				delete(t.w.open, words[0])
				t.noteMessage(Acked, m)
			}
			return n, err
		},
	}
}

// natsUnit reads a line and the payload behind it, if its verb is that of messages without or
// with headers. words are those between the verb and the sizes, and one of the sizes at the end.
func natsUnit(data []byte, plain, headers string) (words []string, body []byte, n int, err error) {
	line, _, ok := bytes.Cut(data, []byte("\r\n"))
	if !ok {
		return nil, nil, 0, nil
	}
	n = len(line) + 2
	fields := bytes.Fields(line)
	if len(fields) < 3 {
		return nil, nil, n, nil
	}
	var sizes int
	switch string(bytes.ToUpper(fields[0])) {
	case plain:
		sizes = 1
	case headers:
		sizes = 2
	default:
		return nil, nil, n, nil
	}
	total, err := strconv.Atoi(string(fields[len(fields)-1]))
	head := 0
	if err == nil && sizes == 2 {
		head, err = strconv.Atoi(string(fields[len(fields)-2]))
	}
	if err != nil || head > total || total < 0 || head < 0 {
		return nil, nil, 0, fmt.Errorf("NATS: sizes of %q", line)
	}
	if len(data) < n+total+2 {
		return nil, nil, 0, nil
	}
	for _, field := range fields[1 : len(fields)-sizes+1] {
		words = append(words, string(field))
	}
	return words, data[n+head : n+total], n + total + 2, nil
}

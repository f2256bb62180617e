//go:build linux

package witness

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A respTalk is the state of a connection with RESP.
type respTalk struct {
	*talk
	commands [][]any   // without a reply
	added    []Message // with an ID, and without a count of copies
	waits    bool      // for copies
}

// redis reads RESP 2 and 3. Replies come in the order of the commands. On a connection with WAIT
// or WAITAOF a message is acknowledged when enough copies were counted.
func (t *talk) redis() *protocol {
	r := &respTalk{talk: t}
	return &protocol{client: r.sent, server: r.got}
}

func (r *respTalk) sent(data []byte) (int, error) {
	value, n, err := resp(data)
	if command, ok := value.([]any); ok && n > 0 && len(command) > 0 {
		r.waits = r.waits || strings.HasPrefix(text(command, 0), "WAIT")
		r.commands = append(r.commands, command)
		if text(command, 0) == "XADD" {
			r.note(Published, command[len(command)-1].([]byte))
		}
	}
	return n, err
}

func (r *respTalk) got(data []byte) (int, error) {
	value, n, err := resp(data)
	if n == 0 || data[0] == '>' || len(r.commands) == 0 {
		return n, err
	}
	command := r.commands[0]
	r.commands = r.commands[1:]
	r.deliver(value)
	switch name := text(command, 0); {
	case name == "XADD":
		m, ok := r.message(command[len(command)-1].([]byte))
		if _, id := value.([]byte); ok && id {
			r.added = append(r.added, m)
		}
		if r.waits {
			return n, nil
		}
	case !strings.HasPrefix(name, "WAIT"):
		return n, nil
	case !enough(command, value):
		r.added = nil
	}
	for _, m := range r.added {
		r.noteMessage(Acked, m)
	}
	r.added = nil
	return n, nil
}

// text returns a word of a command in capitals.
func text(command []any, i int) string {
	word, _ := command[i].([]byte)
	return strings.ToUpper(string(word))
}

// enough reports whether a reply of WAIT or WAITAOF counts as many copies as were asked for.
func enough(command []any, reply any) bool {
	counts, ok := reply.([]any)
	if !ok {
		counts = []any{reply}
	}
	for i, count := range counts {
		want, err := strconv.Atoi(text(command, 1+i))
		if n, ok := count.(int); err != nil || !ok || n < want {
			return false
		}
	}
	return true
}

// deliver notes the messages in a reply.
func (t *talk) deliver(value any) {
	switch v := value.(type) {
	case []byte:
		t.note(Delivered, v)
	case []any:
		for _, item := range v {
			t.deliver(item)
		}
	}
}

// resp reads a value: []byte, []any, an int, or nil for others. n is 0 if it is not complete.
func resp(data []byte) (value any, n int, err error) {
	line, _, ok := bytes.Cut(data, []byte("\r\n"))
	if !ok || len(line) == 0 {
		return nil, 0, nil
	}
	n = len(line) + 2
	count, bad := strconv.Atoi(string(line[1:]))
	switch line[0] {
	case '+', '-', '_', '#', ',', '(':
		return nil, n, nil
	case ':':
		return count, n, bad
	case '$', '=', '!':
		if count < 0 || bad != nil {
			return nil, n, bad
		}
		if len(data) < n+count+2 {
			return nil, 0, nil
		}
		return bytes.Clone(data[n : n+count]), n + count + 2, nil
	case '%':
		count *= 2
	case '*', '~', '>':
	default:
		return nil, 0, fmt.Errorf("RESP: a value that begins with %q", line[0])
	}
	items := make([]any, 0, max(count, 0))
	for range max(count, 0) {
		item, length, err := resp(data[n:])
		if length == 0 || err != nil {
			return nil, 0, err
		}
		items, n = append(items, item), n+length
	}
	return items, n, bad
}

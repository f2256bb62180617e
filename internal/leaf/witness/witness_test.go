//go:build linux

package witness

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

const size = 32

// payload is a message of the schedule.
func payload(seq uint64) []byte {
	p := make([]byte, size)
	binary.BigEndian.PutUint64(p[8:], seq)
	p[3] = byte(seq >> 40) // the run
	return p
}

// spoken returns the events of a conversation whose bytes come one by one, first all of the client.
func spoken(t *testing.T, asks, says string) Events {
	t.Helper()
	w := &Witness{size: size, open: make(map[string]Message)}
	c := &talk{w: w, known: true}
	for _, part := range []struct {
		s    *stream
		text string
	}{{&c.client, asks}, {&c.server, says}} {
		for i := range len(part.text) {
			c.take(segment{part.s, part.s.next, []byte(part.text[i : i+1]), time.Time{}})
		}
	}
	if w.missed != nil {
		t.Error(w.missed)
	}
	return w.events
}

// Each protocol has three messages published, two of them acknowledged, and the first delivered. A
// probe and a message of another size count nowhere.
func TestProtocols(t *testing.T) {
	one, two, three := string(payload(1)), string(payload(2)), string(payload(3))
	none := string(payload(1<<64 - 1))
	pub := func(reply, body string) string { return fmt.Sprintf("PUB s %s %d\r\n%s\r\n", reply, len(body), body) }
	bulk := func(words ...string) string {
		text := fmt.Sprintf("*%d\r\n", len(words))
		for _, word := range words {
			text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
		}
		return text
	}
	xadd := func(body string) string { return bulk("XADD", "k", "*", "f", body) }
	for name, c := range map[string]struct{ asks, says string }{
		"nats": {
			"CONNECT {}\r\n" + pub("r0", none) + pub("r1", one) + fmt.Sprintf("HPUB s r2 12 %d\r\nNATS/1.0\r\n\r\n%s\r\n", 12+size, two) + pub("r3", three) + "PING\r\n",
			"INFO {\"x\":1}\r\nPONG\r\nMSG r0 1 9\r\n{\"seq\":0}\r\nMSG r1 1 9\r\n{\"seq\":1}\r\nMSG r2 1 9\r\n{\"seq\":2}\r\nMSG r3 1 12\r\n{\"error\":{}}\r\n\r\n" +
				fmt.Sprintf("MSG s 2 a.b %d\r\n%s\r\n", size, one),
		},
		"redis": {
			xadd("probe") + xadd(one) + xadd(two) + xadd(three) + bulk("XREAD", "k"),
			"$3\r\n0-1\r\n$3\r\n1-0\r\n$3\r\n2-0\r\n-ERR no\r\n%1\r\n$1\r\nk\r\n*1\r\n*2\r\n$3\r\n1-0\r\n" + bulk("f", one),
		},
		"redis with WAIT": {
			xadd(one) + xadd(two) + bulk("WAIT", "2", "0") + xadd(three) + bulk("WAIT", "2", "0") + bulk("XRANGE", "k"),
			"$3\r\n1-0\r\n$3\r\n2-0\r\n:2\r\n$3\r\n3-0\r\n:1\r\n*1\r\n*2\r\n$3\r\n1-0\r\n" + bulk("f", one),
		},
		"amqp": {
			"AMQP\x00\x00\x09\x01" + frame(1, "\x00\x55\x00\x0a\x00") + publish(one) + publish("probe") + publish(two) + publish(three),
			frame(1, "\x00\x3c\x00\x50\x00\x00\x00\x00\x00\x00\x00\x03\x01") + frame(1, "\x00\x3c\x00\x78\x00\x00\x00\x00\x00\x00\x00\x04\x00") +
				strings.Replace(publish(one), "\x00\x3c\x00\x28", "\x00\x3c\x00\x3c", 1),
		},
		"kafka": {
			kafka(0, 11, 1, produce(none, one, two)) + kafka(0, 11, 2, produce(three)) + kafka(1, 12, 3, ""),
			response(1, acked(0)) + response(2, acked(7)) + response(3, fetched(one)),
		},
	} {
		e := spoken(t, c.asks, c.says)
		p, d := len(e.of(Published)), len(e.of(Delivered))
		if a, m := e.Audit(time.Time{}.Add(1), true); p != 3 || a != 2 || d != 1 || m != 1 {
			t.Errorf("%s: %d published, %d acknowledged, %d delivered, %d missing", name, p, a, d, m)
		}
	}
}

// frame is a frame of AMQP on channel 1.
func frame(kind byte, body string) string {
	return string([]byte{kind}) + "\x00\x01" + string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body + "\xce"
}

// publish is a message of AMQP, its body in two frames.
func publish(body string) string {
	head := "\x00\x3c\x00\x00" + string(binary.BigEndian.AppendUint64(nil, uint64(len(body)))) + "\x00\x00"
	return frame(1, "\x00\x3c\x00\x28\x00") + frame(2, head) + frame(3, body[:1]) + frame(3, body[1:])
}

// A request of Kafka with its key, version and number, and a response.
func kafka(key, version, number byte, body string) string {
	return long(len(body)+11) + string([]byte{0, key, 0, version, 0, 0, 0, number, 0, 0, 0}) + body
}

func response(number byte, body string) string {
	return long(len(body)+5) + string([]byte{0, 0, 0, number, 0}) + body
}

func long(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// A topic t with one partition: its records behind a head.
func topic(partition string) string { return "\x02\x02t\x02" + partition + "\x00\x00" }

func produce(bodies ...string) string {
	return "\x00\x00\x01\x00\x00\x00\x00" + topic("\x00\x00\x00\x00"+batch(bodies...)) + "\x00"
}

func acked(code byte) string {
	return topic("\x00\x00\x00\x00\x00"+string([]byte{code})+strings.Repeat("\x00", 24)+"\x01\x00") + "\x00\x00\x00\x00\x00"
}

func fetched(bodies ...string) string {
	return strings.Repeat("\x00", 10) + topic(strings.Repeat("\x00", 30)+"\x01\x00\x00\x00\x00"+batch(bodies...)) + "\x00"
}

// batch is a compact array of bytes with one batch of records.
func batch(bodies ...string) string {
	records := ""
	for _, body := range bodies {
		record := "\x00\x00\x00\x01" + string(binary.AppendVarint(nil, int64(len(body)))) + body + "\x00"
		records += string(binary.AppendVarint(nil, int64(len(record)))) + record
	}
	head := strings.Repeat("\x00", 8) + long(49+len(records)) + strings.Repeat("\x00", 45) + long(len(bodies))
	return string(binary.AppendUvarint(nil, uint64(len(head+records)+1))) + head + records
}

func TestSegmentsInAnyOrder(t *testing.T) {
	s := stream{next: 1<<32 - 2}
	for _, segment := range []struct {
		seq  uint32
		text string
	}{{2, "efg"}, {1<<32 - 2, "ab"}, {1<<32 - 2, "ab"}, {6, "ij"}, {1<<32 - 1, "bcd"}, {4, "ghi"}} {
		s.add(segment.seq, []byte(segment.text))
	}
	if got := string(s.data); got != "abcdefghij" || len(s.early) > 0 {
		t.Errorf("%q, %d early", got, len(s.early))
	}
}

// Of a log only readers of the store count, of a queue consumers too, and no late acknowledgement of either.
func TestAudit(t *testing.T) {
	start := time.Unix(0, 0)
	var e Events
	for i, event := range []Event{{Kind: Acked, Message: Message{1}}, {Kind: Acked, Message: Message{2}}, {Kind: Delivered, Message: Message{1}}, {Kind: Acked, Message: Message{3}}, {Kind: Delivered, Message: Message{2}}} {
		event.At = start.Add(time.Duration(i) * time.Second)
		e = append(e, event)
	}
	end := start.Add(3 * time.Second)
	for taken, want := range map[bool]int{false: 1, true: 0} {
		if acked, missing := e.Audit(end, taken); acked != 2 || missing != want {
			t.Errorf("taken %v: %d of %d missing, want %d of 2", taken, missing, acked, want)
		}
	}
}

func TestOutage(t *testing.T) {
	start := time.Unix(0, 0)
	at := func(seconds int, kind Kind, n byte) Event {
		return Event{At: start.Add(time.Duration(seconds) * time.Second), Kind: kind, Message: Message{n}}
	}
	// The second delivery of message 2 ends no first outage.
	e := Events{at(1, Delivered, 1), at(3, Delivered, 2), at(5, Acked, 2), at(6, Delivered, 2), at(9, Delivered, 3), at(30, Delivered, 4)}
	for _, c := range []struct{ from, to, first, every int }{{2, 8, 6, 3}, {4, 8, 5, 3}, {0, 4, 6, 3}, {10, 12, 20, 20}, {31, 40, 0, 0}} {
		first, every := e.Outage(Delivered, start.Add(time.Duration(c.from)*time.Second), start.Add(time.Duration(c.to)*time.Second))
		if first != time.Duration(c.first)*time.Second || every != time.Duration(c.every)*time.Second {
			t.Errorf("from %d to %d: %v and %v, want %d s and %d s", c.from, c.to, first, every, c.first, c.every)
		}
	}
}

// TestMain makes the test a second program with connections, which end when its input does.
func TestMain(m *testing.M) {
	address := os.Getenv("WITNESS_TEST_SERVER")
	if address == "" {
		m.Run()
		return
	}
	for range 50 {
		client, err := net.Dial("tcp4", address)
		if err == nil {
			err = published(client, foreign)
		}
		if err != nil {
			panic(err)
		}
	}
	for range 50 { // which are not known: they end at once
		if client, err := net.Dial("tcp4", address); err == nil {
			_ = published(client, foreign)
			_ = client.Close()
		}
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// foreign is the number of a message of another run, see payload.
const foreign = 1 << 40

// published publishes a message over a connection, and waits until it was received.
func published(client net.Conn, seq uint64) error {
	if _, err := fmt.Fprintf(client, "CONNECT {}\r\nPUB s %d\r\n%s\r\nPING\r\n", size, payload(seq)); err != nil {
		return err
	}
	_, err := io.ReadFull(client, make([]byte, len("PONG\r\n")))
	return err
}

// Every message counts of thousands of connections that a process opens at once, most of them ended before
// the kernel's table was read, and none of another program that talks with the same server.
func TestManyConnections(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			peer, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer peer.Close()
				lines := bufio.NewScanner(peer)
				for lines.Scan() {
					if lines.Text() == "PING" {
						_, _ = peer.Write([]byte("PONG\r\n"))
					}
				}
			}()
		}
	}()
	w, err := Listen(os.Getpid(), size)
	if err != nil {
		t.Skip(err)
	}
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "WITNESS_TEST_SERVER="+server.Addr().String())
	end, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	known, err := net.Dial("tcp4", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer known.Close()
	if err := published(known, 0); err != nil {
		t.Fatal(err)
	}
	const n, atOnce = 4000, 100
	var all sync.WaitGroup
	for i := range uint64(atOnce) {
		all.Go(func() {
			for seq := i; seq < n; seq += atOnce {
				client, err := net.Dial("tcp4", server.Addr().String())
				if err == nil {
					err = errors.Join(published(client, seq), client.Close())
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	time.Sleep(4 * fresh) // the other program's connections last
	_ = end.Close()
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	events, err := w.Stop()
	if err != nil {
		t.Fatal(err)
	}
	if got := events.of(Published); len(got) != n || got[Message(payload(foreign))] {
		t.Errorf("%d messages of %d were seen, one of another program: %v", len(got), n, got[Message(payload(foreign))])
	}
}

// Packets of this process are read, and those of the server that it talks with are not taken for
// another connection.
func TestPackets(t *testing.T) {
	w, err := Listen(os.Getpid(), size)
	if err != nil {
		t.Skip(err)
	}
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := net.Dial("tcp4", server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	peer, err := server.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	said := fmt.Sprintf("INFO {}\r\nMSG s 1 %d\r\n%s\r\n", size, payload(7))
	if _, err := peer.Write([]byte(said)); err != nil {
		t.Fatal(err)
	}
	events, err := w.Stop()
	if err != nil {
		t.Skip(err) // the machine was too busy
	}
	if len(events) != 1 || events[0].Kind != Delivered || events[0].Message != Message(payload(7)) || time.Since(events[0].At) > time.Minute {
		t.Errorf("%+v", events)
	}
}

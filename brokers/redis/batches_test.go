//go:build linux

package redis

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// pair returns both ends of a connection.
func pair(t *testing.T) (server, client net.Conn) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err = new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	server, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server, client
}

// What one Read returned, and when.
type arrival struct {
	n   int
	at  time.Time
	err error
}

// arrivals reads until an error.
func arrivals(r io.Reader) <-chan arrival {
	all := make(chan arrival, 10000)
	go func() {
		for buffer := make([]byte, 4096); ; {
			n, err := r.Read(buffer)
			all <- arrival{n, time.Now(), err}
			if err != nil {
				return
			}
		}
	}()
	return all
}

func next(t *testing.T, all <-chan arrival) arrival {
	t.Helper()
	select {
	case a := <-all:
		return a
	case <-time.After(10 * time.Second):
		t.Fatal("nothing comes")
		return arrival{}
	}
}

// Many replies wake us seldom, none of them is left unread, and after a lull each is read at
// once again.
func TestManyRepliesAreReadInBatches(t *testing.T) {
	t.Parallel()
	server, client := pair(t)
	r := inBatches(client).(*batches)
	r.switchTo(false)
	all := arrivals(r)
	const replies = 200
	begun := time.Now()
	for range replies {
		if _, err := io.WriteString(server, ":1\r\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	took, reads := time.Since(begun), 0
	for bytes := 0; bytes < replies*aReply; reads++ {
		a := next(t, all)
		if bytes += a.n; a.err != nil {
			t.Fatal(a.err)
		}
	}
	if reads > replies/2 && took < time.Second { // else there were not many
		t.Errorf("%d replies were read in %d reads", replies, reads)
	}
	time.Sleep(5 * spell)
	for range 20 { // one alone would come in time by chance
		sent := time.Now()
		_, _ = io.WriteString(server, ":1\r\n")
		if a := next(t, all); a.at.Sub(sent) < spell/2 {
			return
		}
		time.Sleep(spell / 2)
	}
	t.Error("each of 20 replies after a lull was read late")
}

// Few are read as they come.
func TestFewRepliesAreReadAtOnce(t *testing.T) {
	t.Parallel()
	server, client := pair(t)
	r := inBatches(client)
	all := arrivals(r)
	for range 20 {
		_, _ = io.WriteString(server, ":1\r\n")
		if a := next(t, all); a.n != aReply || a.err != nil {
			t.Fatalf("%+v", a)
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = client.Close()
	if a := next(t, all); a.err == nil {
		t.Fatalf("%+v", a)
	}
	if !r.(*batches).few {
		t.Error("they were read in batches")
	}
}

// Whoever waits for many at a time hears of the end at once.
func TestTheEndIsReadInBatchesToo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(server, client net.Conn) error{
		"server": func(server, _ net.Conn) error { return server.Close() },
		"client": func(_, client net.Conn) error { return client.Close() },
	} {
		server, client := pair(t)
		r := inBatches(client).(*batches)
		r.switchTo(false)
		all := arrivals(r)
		_, _ = io.WriteString(server, ":1\r\n:1\r\n")
		time.Sleep(spell / 4)
		if err := end(server, client); err != nil {
			t.Fatal(err)
		}
		bytes := 0
		for {
			a := next(t, all)
			if bytes += a.n; a.err == nil {
				continue
			}
			if want := map[string]error{"server": io.EOF, "client": net.ErrClosed}[name]; !errors.Is(a.err, want) || name == "server" && bytes != 2*aReply {
				t.Errorf("%s: %v after %d B", name, a.err, bytes)
			}
			break
		}
	}
}

// It depends on how many come in a spell, not on how many come in all.
func TestHowManyAreMany(t *testing.T) {
	for every, want := range map[time.Duration]bool{time.Millisecond: false, 3 * time.Millisecond: false, 5 * time.Millisecond: true, time.Second: true} {
		_, client := pair(t)
		synctest.Test(t, func(t *testing.T) {
			r := inBatches(client).(*batches)
			for range 1000 {
				time.Sleep(every)
				r.came(aReply)
			}
			if r.few != want {
				t.Errorf("one every %v: few %v, want %v", every, r.few, want)
			}
		})
	}
}

// Streams of replies are read whole, however they come.
func TestBatchesLoseNothing(t *testing.T) {
	t.Parallel()
	server, client := pair(t)
	sent := make(chan int, 1)
	go func() {
		random, total := rand.New(rand.NewPCG(1, 2)), 0
		for range 400 {
			n := random.IntN(200)
			if random.IntN(50) == 0 {
				time.Sleep(time.Duration(random.IntN(250)) * time.Millisecond)
			}
			_, _ = server.Write(make([]byte, n))
			total += n
		}
		sent <- total
		_ = server.Close()
	}()
	got, err := io.Copy(io.Discard, inBatches(client))
	if want := <-sent; err != nil || got != int64(want) {
		t.Errorf("%d B of %d, %v", got, want, err)
	}
}

package redis

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func repliesOf(text string) *replies {
	return &replies{Reader: bufio.NewReader(strings.NewReader(text))}
}

func TestReadReplies(t *testing.T) {
	const two = "*2\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\nm\r\n$2\r\nab\r\n*2\r\n$3\r\n2-0\r\n*-1\r\n" // the second was removed
	for _, tt := range []struct{ reply, want string }{
		{"*1\r\n*2\r\n$1\r\nk\r\n" + two, "1-0=ab 2-0= n=2 <nil>"},
		{"%1\r\n$1\r\nk\r\n" + two, "1-0=ab 2-0= n=2 <nil>"},
		{"*-1\r\n", "n=0 <nil>"},
		{"_\r\n", "n=0 <nil>"},
		{"*1\r\n*2\r\n$1\r\nk\r\n*0\r\n", "n=0 <nil>"},
		{"-NOGROUP No such key\r\n", "n=0 NOGROUP No such key"},
		{"*2\r\n", "n=0 unexpected reply: 2 streams"},
		{"+OK\r\n", `n=0 unexpected reply: "+OK"`},
		{"\r\n", "n=0 unexpected reply: an empty line"},
		{":1\r\n", `n=0 unexpected reply of kind ':', want one of "*%_"`},
		{"*1\r\n*2\r\n$1\r\n", "n=0 EOF"},
		{"*1\r\n*2\r\n$999999999999\r\n", "n=0 unexpected reply: a string of 999999999999 B"},
	} {
		var got strings.Builder
		n, err := repliesOf(tt.reply).read(func(id, payload []byte) { fmt.Fprintf(&got, "%s=%s ", id, payload) })
		fmt.Fprintf(&got, "n=%d %v", n, err)
		if got.String() != tt.want {
			t.Errorf("%q: %s, want %s", tt.reply, got.String(), tt.want)
		}
	}
}

func TestAddedReplies(t *testing.T) {
	r := repliesOf("$3\r\n1-0\r\n$-1\r\n_\r\n-OOM no\r\n$3\r\n2-0\r\n")
	var no refused
	for i, want := range []func(error) bool{
		func(err error) bool { return err == nil },
		func(err error) bool { return errors.Is(err, errGone) && !ended(err) },
		func(err error) bool { return errors.Is(err, errGone) },
		func(err error) bool { return errors.As(err, &no) && !ended(err) },
		func(err error) bool { return err == nil },
		ended,
	} {
		if err := r.added(); !want(err) {
			t.Errorf("reply %d: %v", i, err)
		}
	}
}

func TestEnough(t *testing.T) {
	for _, tt := range []struct {
		fsync    bool
		replicas int
		reply    string
		want     error
	}{
		{false, 1, ":1\r\n", nil},
		{false, 2, ":1\r\n", errReplicas},
		{true, 0, "*2\r\n:1\r\n:0\r\n", nil},
		{true, 0, "*2\r\n:0\r\n:0\r\n", errNoFsync},
		{true, 1, "*2\r\n:1\r\n:0\r\n", errNoFsync},
	} {
		counts, err := repliesOf(tt.reply).counts(nil)
		if err != nil {
			t.Fatal(err)
		}
		o := options{waitFsync: tt.fsync, waitReplicas: tt.replicas}
		if err := o.enough(counts); !errors.Is(err, tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// Whatever a server answers, reading it ends, and takes no more memory than it says.
func FuzzReplies(f *testing.F) {
	f.Add("*1\r\n*2\r\n$1\r\nk\r\n*1\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\nm\r\n$2\r\nab\r\n")
	f.Add("$3\r\n1-0\r\n:1\r\n*2\r\n:1\r\n:0\r\n")
	f.Add("-OOM\r\n_\r\n%1\r\n")
	f.Add("*1\r\n*2\r\n$1\r\nk\r\n*1\r\n*2\r\n$3\r\n1-0\r\n*9000000000000000000\r\n")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = repliesOf(text).read(func([]byte, []byte) {})
		_ = repliesOf(text).added()
		_, _ = repliesOf(text).counts(nil)
	})
}

// A message, its acknowledgement and its delivery allocate nothing.
func TestStreamsAllocateNothing(t *testing.T) {
	for _, mode := range modes[:2] {
		back, acked := make(chan struct{}, 1), make(chan struct{}, 1)
		r, err := openURL(t, serve(t).url("", "?"+mode)).New(0, func([]byte) { back <- struct{}{} })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Teardown(t.Context()) })
		r.(requester.Acknowledger).NotifyAck(func([]byte) { acked <- struct{}{} })
		if err := r.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		message := brokertest.Payload(0, 1, 256)
		if got := testing.AllocsPerRun(1000, func() {
			_ = r.Request(t.Context(), message)
			<-acked
			<-back
		}); got > 0 {
			t.Errorf("%s: %v allocations, want none", mode, got)
		}
	}
}

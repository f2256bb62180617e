package loopback_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
)

// arrivals sends n requests, a millisecond apart, and returns when each reply
// came after its request.
func arrivals(t *testing.T, cfg loopback.Config, n int) (waits map[uint64][]time.Duration) {
	t.Helper()
	waits = make(map[uint64][]time.Duration)
	synctest.Test(t, func(t *testing.T) {
		f, err := loopback.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		r, err := f.New(0, requester.Replies(func(p []byte) {
			stamp, _ := requester.ReadStamp(p)
			sent := time.Duration(stamp.Seq) * time.Millisecond
			waits[stamp.Seq] = append(waits[stamp.Seq], time.Since(start)-sent)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		payload := make([]byte, 32)
		for seq := range uint64(n) {
			requester.Stamp{Seq: seq}.Put(payload)
			if err := r.Request(t.Context(), payload); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Minute)
		if err := r.Teardown(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return waits
}

func TestFreeze(t *testing.T) {
	waits := arrivals(t, loopback.Config{
		Delay:   2 * time.Millisecond,
		Freezes: []loopback.Freeze{{At: 10 * time.Millisecond, For: 5 * time.Millisecond}},
	}, 20)
	for seq, wait := range waits {
		want := 2 * time.Millisecond
		if seq > 8 && seq < 13 { // their replies would come within (10, 15)
			want = time.Duration(15-seq) * time.Millisecond
		}
		if len(wait) != 1 || wait[0] != want {
			t.Errorf("request %d waited %v, want %v", seq, wait, want)
		}
	}
}

func TestPartsAreExact(t *testing.T) {
	dropped := arrivals(t, loopback.Config{Drop: 0.03}, 1000)
	if len(dropped) != 970 {
		t.Errorf("%d replies, want 970", len(dropped))
	}
	twice := 0
	for _, wait := range arrivals(t, loopback.Config{Delay: time.Millisecond, Duplicate: 0.25}, 100) {
		if len(wait) == 2 {
			twice++
		}
	}
	if twice != 25 {
		t.Errorf("%d replies came twice, want 25", twice)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, cfg := range []loopback.Config{
		{Drop: -0.1},
		{Duplicate: 1.1},
		{Corrupt: math.NaN()},
		{Delay: -1},
		{Freezes: []loopback.Freeze{{At: -1}}},
		{Freezes: []loopback.Freeze{{For: -1}}},
	} {
		if _, err := loopback.New(cfg); err == nil {
			t.Errorf("New(%+v) is taken", cfg)
		}
	}
}

func TestParseFreezes(t *testing.T) {
	got, err := loopback.ParseFreezes("1s@5s,200ms@8s")
	if err != nil || len(got) != 2 || got[1] != (loopback.Freeze{At: 8 * time.Second, For: 200 * time.Millisecond}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"1s", "1s@", "@5s", "1s@5s,", "x@y"} {
		if got, err := loopback.ParseFreezes(text); err == nil || !strings.Contains(err.Error(), "1s@5s") {
			t.Errorf("ParseFreezes(%q) = %+v, %v", text, got, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	f, err := loopback.New(loopback.Config{Freezes: []loopback.Freeze{{At: 5 * time.Second, For: time.Second}}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Describe(t.Context())
	if err != nil || !strings.Contains(d.Product, "not a broker") || !strings.Contains(fmt.Sprint(d.Settings), "1s@5s") {
		t.Errorf("%+v, %v", d, err)
	}
}

func ExampleNew() {
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, _ := f.New(0, requester.Replies(func(payload []byte) { fmt.Printf("%s\n", payload) }))
	_ = r.Setup(context.Background())
	_ = r.Request(context.Background(), []byte("there and back again"))
	_ = r.Teardown(context.Background())
	// Output: there and back again
}

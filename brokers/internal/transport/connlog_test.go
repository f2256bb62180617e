package transport_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

func TestAnOutageIsThreeEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		log := transport.NewConnLog(func(text string) { got = append(got, text) })
		log.Lost("b", "during Setup")
		log.Begin()
		log.Failed("b", "nothing is lost")
		if log.Back("b", "nothing is lost") {
			t.Error("what was not lost has come back")
		}
		for range 2 {
			if !log.Lost("a", "lost %s", "a") || log.Lost("a", "again") {
				t.Error("the first loss begins an outage, and no other")
			}
			for range 100 {
				log.Failed("a", "failed: %d", 1)
			}
			time.Sleep(1500 * time.Millisecond)
			log.Back("a", "%s is back", "a")
			log.Back("a", "again")
		}
		log.Note("odd")
		log.End()
		log.Lost("a", "closed by Teardown")
		log.Note("late")
		once := []string{"lost a", "failed: 1", "a is back after 1.5s"}
		want := append(append(once, once...), "odd")
		if !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func TestBackTellsWhetherItWasAlone(t *testing.T) {
	log := transport.NewConnLog(func(string) {})
	log.Begin()
	log.Lost("a", "lost")
	log.Lost("b", "lost")
	if log.Back("a", "back") || log.Back("b", "back") {
		t.Error("alone, though both were lost")
	}
	log.Lost("a", "lost")
	if !log.Back("a", "back") {
		t.Error("not alone, though nothing else was lost")
	}
}

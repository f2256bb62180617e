package measure

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A keeper is a system that keeps messages: it stores each, acknowledges it after 1 ms and
// delivers it after 2 ms. Its store is read after the last message.
type keeper struct {
	forgets func(seq uint64) bool // acknowledged, and not stored
	twice   func(seq uint64) bool // stored twice
	silent  func(seq uint64) bool // stored, and not acknowledged
	audit   func(ctx context.Context) error

	mu    sync.Mutex
	store [][]byte
}

type keeping struct {
	of    *keeper
	reply func([]byte)
	ack   func([]byte)
}

func (k *keeper) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &keeping{of: k, reply: sink.Reply, ack: sink.Acked}, nil
}

func (*keeper) Store() requester.Store { return requester.Store{} }

func (k *keeper) Audit(ctx context.Context, kept func([]byte)) error {
	if k.audit != nil {
		return k.audit(ctx)
	}
	for _, payload := range k.store {
		kept(payload)
	}
	kept([]byte("probe"))
	return nil
}

func (*keeping) Traits() requester.Traits         { return requester.Traits{Acknowledges: true} }
func (c *keeping) Setup(context.Context) error    { return nil }
func (c *keeping) Teardown(context.Context) error { return nil }

func (c *keeping) Request(_ context.Context, payload []byte) error {
	stamp, _ := requester.ReadStamp(payload)
	payload = bytes.Clone(payload)
	is := func(f func(uint64) bool) bool { return f != nil && stamp.Seq != requester.ProbeSeq && f(stamp.Seq) }
	c.of.mu.Lock()
	if !is(c.of.forgets) {
		c.of.store = append(c.of.store, payload)
	}
	if is(c.of.twice) {
		c.of.store = append(c.of.store, payload)
	}
	c.of.mu.Unlock()
	if !is(c.of.silent) {
		time.AfterFunc(ms, func() { c.ack(payload) })
	}
	time.AfterFunc(2*ms, func() { c.reply(payload) })
	return nil
}

func audited(t *testing.T, k *keeper) *results.Cell {
	t.Helper()
	return auditedOf(t, k)
}

// auditedOf measures 1,000/s over 3 connections for 2 s after a warm-up of 1 s, with two groups if the system
// has any.
func auditedOf(t *testing.T, f requester.Factory) *results.Cell {
	t.Helper()
	cell := cellOf(1000, 2*time.Second)
	cell.Settings.Warmup, cell.Settings.Timeout, cell.Settings.Audit, cell.Shape.Connections = time.Second, time.Second, true, 3
	if _, groups := f.(requester.Grouper); groups {
		cell.Shape.Topology = plan.Topology{Topics: 1, Groups: 2, Members: 1}
	}
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		var err error
		if c, err = judged(t.Context(), f, cell, Options{NewWaiter: load.SleepWaiter}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // what was left behind ends
	})
	return c
}

func slo(c *results.Cell) results.SLO {
	for _, s := range c.SLOs {
		if s.Objective == plan.NothingLost() {
			return s
		}
	}
	return results.SLO{}
}

func TestAcksAreASeries(t *testing.T) {
	c := audited(t, &keeper{})
	wantNear(t, *c.Ack, 50, ms)
	wantNear(t, *c.Ack, 100, ms)
	wantNear(t, *c.Complete, 50, 2*ms)
	wantNear(t, c.Response, 50, 2*ms)
	if c.Ack.Count != 2000 || c.Complete.Count != 2000 || c.Ack.Missing != 0 {
		t.Errorf("%d acknowledged, %d complete", c.Ack.Count, c.Complete.Count)
	}
	if row, _ := c.Ack.At(50); row.Use != results.Usable {
		t.Errorf("ack p50 %+v", row)
	}
	want := results.Audit{Acked: 3000, Kept: 3000, Read: 3000}
	if got := *c.Audit; got.Acked != want.Acked || got.Kept != want.Kept || got.Read != want.Read || got.Missing+got.Duplicates+got.Unacked != 0 {
		t.Errorf("audit %+v", c.Audit)
	}
	if s := slo(c); s.Outcome != results.Passed || c.Verdict != results.Valid {
		t.Errorf("%+v, %s %v", s, c.Verdict, c.Problems)
	}
}

// What was acknowledged and is gone is counted, one by one.
func TestTheAuditFindsWhatIsLost(t *testing.T) {
	c := audited(t, &keeper{forgets: func(seq uint64) bool { return seq == 0 || seq == 7 || seq == 999 }})
	a := c.Audit
	if a.Missing != 9 || a.Kept != 2991 || *a.First != (results.MessageID{Conn: 0, Seq: 0}) || *a.Last != (results.MessageID{Conn: 2, Seq: 999}) || len(a.Some) != 9 {
		t.Errorf("%+v", a)
	}
	if s := slo(c); s.Outcome != results.Missed || !strings.Contains(s.Text, "9 of 3000") || c.Verdict != results.Suspect {
		t.Errorf("%+v, %s", s, c.Verdict)
	}
}

func TestTheAuditCountsCopiesAndSurprises(t *testing.T) {
	c := audited(t, &keeper{
		twice:  func(seq uint64) bool { return seq%100 == 1 },
		silent: func(seq uint64) bool { return seq%100 == 2 },
	})
	if a := c.Audit; a.Duplicates != 30 || a.Unacked != 30 || a.Missing != 0 || a.Acked != 2970 {
		t.Errorf("%+v", a)
	}
	if c.Ack.Missing != 18 || c.AckLedger.Unacked != 18 {
		t.Errorf("acks %+v, ledger %+v", c.Ack.Missing, c.AckLedger)
	}
}

// A store that cannot be read is not one in which nothing is lost.
func TestAnAuditThatFails(t *testing.T) {
	c := audited(t, &keeper{audit: func(context.Context) error { return errors.New("no route to the store") }})
	if s := slo(c); s.Outcome != results.Inconclusive || !strings.Contains(s.Text, "no route") || c.Verdict != results.Suspect {
		t.Errorf("%+v, %s", s, c.Verdict)
	}
}

// A store that is gone has lost everything, which is no doubt.
func TestAStoreThatIsGone(t *testing.T) {
	c := audited(t, &keeper{audit: func(context.Context) error { return requester.ErrStoreGone }})
	if s := slo(c); s.Outcome != results.Missed || !strings.Contains(s.Text, "all 3000 messages that were acknowledged are gone") || c.Audit.Missing != 3000 {
		t.Errorf("%+v, %+v", s, c.Audit)
	}
}

// An auditor that never returns does not hold up the run for ever.
func TestAnAuditThatHangs(t *testing.T) {
	c := audited(t, &keeper{audit: func(ctx context.Context) error { <-ctx.Done(); time.Sleep(time.Minute); return nil }})
	if s := slo(c); s.Outcome != results.Inconclusive || !strings.Contains(s.Text, "does not answer") {
		t.Errorf("%+v", s)
	}
}

// An audit that the user ends says so, whether the auditor obeys or not, and proves nothing.
func TestAnAuditThatIsGivenUp(t *testing.T) {
	for name, tt := range map[string]struct {
		obeys time.Duration // after it was told to end
		want  string
	}{"an auditor that obeys": {0, "it was interrupted"}, "one that does not": {time.Minute, "it was interrupted"}} {
		synctest.Test(t, func(t *testing.T) {
			giveUp := make(chan struct{})
			k := &keeper{audit: func(ctx context.Context) error { <-ctx.Done(); time.Sleep(tt.obeys); return ctx.Err() }}
			a := &audit{auditor: k, redact: func(text string) string { return text }, giveUp: giveUp, acknowledged: record.NewBitmap(1), limit: time.Hour}
			a.acknowledged.Mark(0, 7)
			time.AfterFunc(time.Second, func() { close(giveUp) })
			begun := time.Now()
			a.read(nil, nil)
			if took := time.Since(begun); took > time.Second+lastMoment || a.result.Acked != 1 || a.result.Error != tt.want {
				t.Errorf("%s: %+v after %v, want %q", name, a.result, took, tt.want)
			}
			c := &results.Cell{Audit: a.result}
			if judge.SLOs(c); slo(c).Outcome != results.Inconclusive {
				t.Errorf("%s: %+v", name, c.SLOs)
			}
			time.Sleep(time.Hour) // what was left behind ends
		})
	}
}

func TestNothingIsAuditedOfWhatKeepsNothing(t *testing.T) {
	c := audited(t, &keeper{audit: func(context.Context) error { return requester.ErrKeepsNothing }})
	if c.Audit != nil || slo(c).Objective == plan.NothingLost() || c.Verdict != results.Valid {
		t.Errorf("%+v, %v", c.Audit, c.SLOs)
	}
}

// An hour at 20,000/s takes less than 30 MB, as record.Bitmap says.
func TestAnAuditOfAnHourIsSmall(t *testing.T) {
	const messages, pageSize = 72_000_000, 1 << 15
	p := record.NewBitmap(1)
	k := newInStore(p, nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for seq := uint64(0); seq < messages; seq += pageSize {
		p.Mark(0, seq)
		k.once.Mark(0, seq)
		k.again.Mark(0, seq)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if mb := float64(after.HeapAlloc-before.HeapAlloc) / 1e6; mb < 20 || mb > 30 {
		t.Errorf("%.1f MB", mb)
	}
	if r := k.result(); r.Kept != p.Count() || r.Kept != messages/pageSize+1 || r.Duplicates != r.Kept || r.Missing != 0 {
		t.Errorf("%+v", r)
	}
}

// A taker is a queue with a consumer: it stores a message, acknowledges it after 1 ms, and
// delivers it after 2 ms, which takes it out of the store. Until Audit ends it, the consumer
// goes on.
type taker struct {
	keeper

	unread func(seq uint64) bool // stays in the queue: the consumer never comes to it
	late   func(seq uint64) bool // is delivered when the audit ends the consumer
	again  func(seq uint64) bool // is delivered, and stays in the queue all the same
	flight []func()              // what is on its way to a late one
}

func (k *taker) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &taking{keeping{of: &k.keeper, reply: sink.Reply, ack: sink.Acked}, k}, nil
}

func (*taker) Store() requester.Store { return requester.Store{Consuming: true} }

func (k *taker) Audit(ctx context.Context, kept func([]byte)) error {
	for _, deliver := range k.flight {
		deliver()
	}
	return k.keeper.Audit(ctx, kept)
}

type taking struct {
	keeping

	queue *taker
}

func (c *taking) Request(_ context.Context, payload []byte) error {
	stamp, _ := requester.ReadStamp(payload)
	payload = bytes.Clone(payload)
	k, probe := c.queue, stamp.Seq == requester.ProbeSeq
	is := func(f func(uint64) bool) bool { return f != nil && !probe && f(stamp.Seq) }
	time.AfterFunc(ms, func() { c.ack(payload) })
	k.mu.Lock()
	defer k.mu.Unlock()
	if is(k.unread) || is(k.again) {
		k.store = append(k.store, payload)
	}
	switch {
	case is(k.forgets), is(k.unread):
	case is(k.late):
		k.flight = append(k.flight, func() { c.reply(payload) })
	default:
		time.AfterFunc(2*ms, func() { c.reply(payload) })
	}
	return nil
}

// What a queue acknowledged is delivered or still there; of each message one or the other is
// enough, and one that is neither is found.
func TestTheAuditOfAQueueCountsWhatWasDelivered(t *testing.T) {
	below := func(n uint64) func(uint64) bool { return func(seq uint64) bool { return seq < n } }
	for name, tt := range map[string]struct {
		queue *taker
		want  results.Audit
	}{
		"all is delivered":    {&taker{}, results.Audit{Delivered: 3000}},
		"some is left":        {&taker{unread: below(100)}, results.Audit{Delivered: 2700, Kept: 300, Read: 300}},
		"some is late":        {&taker{late: below(100)}, results.Audit{Delivered: 3000}},
		"some is there again": {&taker{again: below(10)}, results.Audit{Delivered: 3000, Read: 30, Duplicates: 30}},
		"one is lost":         {&taker{keeper: keeper{forgets: func(seq uint64) bool { return seq == 700 }}, unread: below(100)}, results.Audit{Delivered: 2697, Kept: 300, Read: 300, Missing: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			c := auditedOf(t, tt.queue)
			got := *c.Audit
			got.First, got.Last, got.Some, got.TookNS = nil, nil, nil, 0
			tt.want.Acked, tt.want.Taken = 3000, true
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%+v\nwant %+v", got, tt.want)
			}
			outcome, says := results.Passed, "all 3000 that were acknowledged were delivered"
			if tt.want.Missing > 0 {
				outcome, says = results.Missed, "3 of 3000 messages that were acknowledged were neither delivered nor kept: the first is message 700 of connection 0"
			}
			if s := slo(c); s.Outcome != outcome || !strings.Contains(s.Text, says) {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Of a queue that is gone, what was delivered is not lost.
func TestAQueueThatIsGone(t *testing.T) {
	gone := func(context.Context) error { return requester.ErrStoreGone }
	c := auditedOf(t, &taker{keeper: keeper{audit: gone}, unread: func(seq uint64) bool { return seq%2 == 1 }})
	if s := slo(c); s.Outcome != results.Missed || !strings.Contains(s.Text, "1500 of 3000 messages that were acknowledged were not delivered, and are gone") {
		t.Errorf("%+v, %+v", s, c.Audit)
	}
	if c = auditedOf(t, &taker{keeper: keeper{audit: gone}}); slo(c).Outcome != results.Passed {
		t.Errorf("%+v, %+v", slo(c), c.Audit)
	}
}

// A shared is a keeper whose messages go to groups of consumers.
type shared struct {
	keeper

	consuming bool
	replies   []func([]byte)
}

func (k *shared) Store() requester.Store { return requester.Store{Consuming: k.consuming} }

func (k *shared) New(_ int, sink requester.Sink) (requester.Requester, error) {
	toAll := func(payload []byte) {
		for _, reply := range k.replies {
			reply(payload)
		}
	}
	return &keeping{of: &k.keeper, reply: toAll, ack: sink.Acked}, nil
}

func (k *shared) NewConsumer(_ requester.Member, sink requester.Sink) (requester.Consumer, error) {
	k.replies = append(k.replies, sink.Reply)
	return &keeping{}, nil
}

func (*shared) TakeTopology(requester.Topology) error { return nil }

// From a queue groups take messages; a stream keeps them.
func TestTheAuditReadsTheStreamOfGroups(t *testing.T) {
	forgets := func(seq uint64) bool { return seq == 500 }
	c := auditedOf(t, &shared{keeper: keeper{forgets: forgets}})
	if a := c.Audit; a == nil || a.Acked != 3000 || a.Missing != 3 || a.Kept != 2997 || c.Ledger.Done != 2000 {
		t.Errorf("audit %+v, ledger %+v", a, c.Ledger)
	}
	if c := auditedOf(t, &shared{keeper: keeper{forgets: forgets}, consuming: true}); c.Audit != nil || !slices.ContainsFunc(c.NotJudged, func(n results.NotJudged) bool { return strings.Contains(n.Reason, "groups of consumers") }) {
		t.Errorf("audit %+v", c.Audit)
	}
}

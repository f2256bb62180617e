// Package endings measures how the transactions of a producer end.
package endings

import (
	"strconv"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/requester"
)

// Results are what [requester.Measurer] returns.
type Results []requester.Setting

// Add adds a value.
func (r *Results) Add(name, value, doc string) {
	*r = append(*r, requester.Setting{Name: name, Value: value, Doc: doc})
}

// AddCount adds a number.
func (r *Results) AddCount(name string, n int64, doc string) {
	r.Add(name, strconv.FormatInt(n, 10), doc)
}

// Ratio returns a/b with two decimals.
func Ratio(a, b int64) string { return strconv.FormatFloat(float64(a)/float64(b), 'f', 2, 64) }

// Transactions count the transactions of all connections, and hold how long each took to
// end: from the call of EndTransaction until the coordinator's answer.
type Transactions struct {
	mu                           sync.Mutex
	committed, aborted, messages int64
	endings                      *histogram.Histogram // of those that were committed; nil before the first
}

// Commit counts a transaction that was committed with so many messages, and how long that took.
func (t *Transactions) Commit(messages int, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.endings == nil {
		t.endings = histogram.New()
	}
	t.committed++
	t.messages += int64(messages)
	t.endings.Record(took)
}

// Abort counts a transaction that was aborted.
func (t *Transactions) Abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.aborted++
}

// AddTo adds what was measured to results.
func (t *Transactions) AddTo(r *Results) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.AddCount("transactions", t.committed, "transactions that were committed, those of the warm-up too")
	r.AddCount("aborted", t.aborted, "transactions that were aborted, or whose outcome is not known")
	if t.committed == 0 {
		return
	}
	r.Add("messages/transaction", Ratio(t.messages, t.committed), "messages in a transaction, on average")
	const doc = "how long the coordinator took to commit: from the call of EndTransaction to its answer"
	r.Add("EndTxn-p50", t.endings.Quantile(50).Round(time.Microsecond).String(), doc)
	r.Add("EndTxn-p99", t.endings.Quantile(99).Round(time.Microsecond).String(), doc)
	r.Add("EndTxn-max", t.endings.Max().Round(time.Microsecond).String(), doc)
}

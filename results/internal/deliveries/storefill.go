package deliveries

// A StoreFill is how the store of a target was filled before the schedule began, and what the target says that it
// held. Its messages are no part of the cell's ledger and of its distributions.
type StoreFill struct {
	UntilBytes int64   `json:"until_bytes"` // that the store was to hold
	End        FillEnd `json:"end"`         // why the filling ended
	Messages   int64   `json:"messages"`    // that the target acknowledged meanwhile
	Bytes      int64   `json:"bytes"`       // of these messages
	FillNS     int64   `json:"fill_ns"`     // how long it took

	// Undelivered are those that groups of consumers did not have as the schedule began, added up over the groups.
	Undelivered int64 `json:"undelivered"`

	Before *StoreState `json:"before"`          // as the schedule began; null if the target did not tell
	After  *StoreState `json:"after"`           // after the last message, before the audit; the same
	Error  string      `json:"error,omitempty"` // why one is null

	LimitBytes int64 `json:"limit_bytes,omitempty"` // the target's option retention; 0: none
	InMemory   bool  `json:"in_memory,omitempty"`   // the store is in the memory of the target

	// MemoryBytes is that of the machine, or the limit of the cgroup of this process if it is lower and this process starts
	// the nodes, and PageCacheBytes were in the machine's page cache as the schedule began; absent if the target is on
	// another machine, or they are unknown.
	MemoryBytes    int64  `json:"memory_bytes,omitempty"`
	PageCacheBytes *int64 `json:"page_cache_bytes,omitempty"`

	Cold    bool   `json:"cold,omitempty"`     // the page cache was dropped before the schedule began
	NotCold string `json:"not_cold,omitempty"` // why it could not be dropped, although that was asked for
}

// A FillEnd says why the filling of a store ended.
type FillEnd string

// The ends.
const (
	FillBytes       FillEnd = "bytes"       // it holds them
	FillDiscards    FillEnd = "discards"    // its limit has discarded the first messages
	FillInterrupted FillEnd = "interrupted" // by the user
)

// A StoreState is what a target says that it stores of a cell. A null number is unknown.
type StoreState struct {
	Messages  *int64 `json:"messages"`  // probes included
	Bytes     *int64 `json:"bytes"`     // as the target counts them, of one copy
	Discarded *int64 `json:"discarded"` // messages that its limit has removed
}

// BeyondMemory reports whether the store was larger than the memory of its machine; known is false if one of the two is
// unknown.
func (f *StoreFill) BeyondMemory() (beyond, known bool) {
	if f.MemoryBytes == 0 {
		return false, false
	}
	bytes := f.Bytes
	if f.Before != nil && f.Before.Bytes != nil {
		bytes = *f.Before.Bytes
	}
	return bytes > f.MemoryBytes, true
}

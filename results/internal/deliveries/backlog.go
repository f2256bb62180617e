package deliveries

// A Backlog is what became of messages that were stored while the consumers of group 0 were away. They
// are no part of the cell's ledger and of its distributions.
type Backlog struct {
	Messages    int64 `json:"messages"`              // that were to be stored
	Stored      int64 `json:"stored"`                // that the target acknowledged
	FillNS      int64 `json:"fill_ns"`               // how long that took
	Interrupted bool  `json:"interrupted,omitempty"` // while the store was filled

	Cold    bool   `json:"cold,omitempty"`     // the page cache was dropped before the consumers returned
	NotCold string `json:"not_cold,omitempty"` // why it could not be dropped, although that was asked for

	// DrainNS is the time from when the consumers of group 0 began to return until they had the whole
	// backlog; null if that was not within WithinNS, the window. Left are the stored messages that they did not
	// have then. LastNS is the time until they had the last of those that came within it, null if none came, and PerS
	// is how many they received per second until then.
	DrainNS  *int64  `json:"drain_ns"`
	WithinNS int64   `json:"within_ns"`
	Left     int64   `json:"left"`
	LastNS   *int64  `json:"last_ns"`
	PerS     float64 `json:"drained_per_s"`
	Error    string  `json:"error,omitempty"` // why the consumers did not return

	Groups []BacklogGroup `json:"groups"` // the ledgers of the backlog
	Age    BacklogTimes   `json:"age"`    // from when a message of the backlog was sent until group 0 had it
	Phases []BacklogPhase `json:"phases"` // of the schedule
}

// A BacklogGroup is the ledger of one group: Owed = Delivered + Missing.
type BacklogGroup struct {
	Number    int   `json:"group"`
	Owed      int64 `json:"owed"` // messages of the backlog that were stored
	Delivered int64 `json:"delivered"`
	Missing   int64 `json:"missing"` // at the end of the cell
	Duplicate int64 `json:"duplicate"`
	Corrupt   int64 `json:"corrupt"`
	Unstored  int64 `json:"unstored"` // deliveries of messages that were not acknowledged
	Behind    int64 `json:"behind"`   // that it did not have when the schedule began: of group 0 all
}

// Before returns the phase before the consumers returned; nil if no message was due in it.
func (b *Backlog) Before() *BacklogPhase { return b.phase("before") }

// During returns the phase of the drain; nil if no message was due in it.
func (b *Backlog) During() *BacklogPhase { return b.phase("during") }

// Meanwhile returns how many messages were due in the drain; 0 of nil.
func (b *Backlog) Meanwhile() int64 {
	if b == nil || b.During() == nil {
		return 0
	}
	return b.During().Due
}

func (b *Backlog) phase(name string) *BacklogPhase {
	for i := range b.Phases {
		if b.Phases[i].Phase == name {
			return &b.Phases[i]
		}
	}
	return nil
}

// A BacklogPhase has the times of the messages that are due in a part of the schedule: before the consumers
// returned (the warm-up), during the drain, or after it. The drain ends with the last message of the backlog that comes. Times are from due. Ack is that of the producers, Lagging
// that of group 0, and Others has a value for each other group.
type BacklogPhase struct {
	Phase   string        `json:"phase"`
	Due     int64         `json:"due"` // messages
	Ack     BacklogTimes  `json:"ack"`
	Lagging *BacklogTimes `json:"lagging"` // null before: those messages wait for the return
	Others  *BacklogTimes `json:"others"`  // null without other groups
}

// BacklogTimes are some percentiles. Those at which missing values rank are null.
type BacklogTimes struct {
	Count   int64  `json:"count"`
	Missing int64  `json:"missing"` // they rank above all values
	P50NS   *int64 `json:"p50_ns"`
	P99NS   *int64 `json:"p99_ns"`
	P999NS  *int64 `json:"p99_9_ns"`
	MaxNS   int64  `json:"max_ns"` // of the values
}

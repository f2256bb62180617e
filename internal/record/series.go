// Package record holds what is recorded of a cell, in one process or in several: histograms,
// their interval log, and marks of single messages.
package record

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// The series of a cell, which record times of each message.
const (
	Response = iota
	Service
	Lag
	Held
	Warmup   // response times of the warm-up
	Required // how many series every cell has

	// Systems that acknowledge have two more.
	Ack      = Required // acknowledged − due
	Complete = Ack + 1  // the later of acknowledged and done, − due

	// Clients that report when a message is on the socket have one more.
	Published = Complete + 1 // Request returned − due

	// An echo whose clock is known adds two more.
	Outward = Published + 1 // received by the echo − due
	Back    = Outward + 1   // done − received by the echo

	// Groups of consumers add two more.
	First = Back + 1  // the first group has the message − due
	Each  = First + 1 // a group has it − due, one value for each group
	Sized = Each + 1

	// Each of several sizes has six that are of messages: see OfSize.
	PerSize = 6

	// Each kind of users has two, which are of users and not of messages: see OfUser.
	Users     = Sized + PerSize*schedule.MostSizes
	PerUser   = 2
	AllSeries = Users + PerUser*plan.MostUsers
)

// sized are the series that each of several sizes has.
var sized = [PerSize]int{Response, Service, Ack, Complete, First, Each}

// HasSizes reports whether each of several sizes has a series.
func HasSizes(series int) bool { return slices.Contains(sized[:], series) }

// OfSize returns a series of one of several sizes, counted from 0: one for which HasSizes holds.
func OfSize(series, class int) int { return Sized + PerSize*class + slices.Index(sized[:], series) }

// OfUser returns the two series of a kind of users, counted from 0 as [plan.Cell.Users] does: the longest time of the
// messages of each user, and their sum.
func OfUser(kind int) (worst, sum int) { return Users + PerUser*kind, Users + PerUser*kind + 1 }

// Tags names the series in the interval log.
var Tags = tags()

func tags() [AllSeries]string {
	list := [AllSeries]string{Response: "response", Service: "service", Lag: "lag", Held: "held", Warmup: "warmup", Ack: "ack", Complete: "complete", Published: "published", Outward: "outward", Back: "back", First: "first", Each: "each"}
	for _, s := range sized {
		for class := range schedule.MostSizes {
			list[OfSize(s, class)] = results.OfSize(list[s], class)
		}
	}
	for kind := range plan.MostUsers {
		worst, sum := OfUser(kind)
		list[worst], list[sum] = results.OfUser(kind)
	}
	return list
}

// SectionTag returns the tag of a series of a section of the window, such as response.s2.
func SectionTag(tag string, section int) string { return fmt.Sprintf("%s.s%d", tag, section) }

// Tags of the interval log that are not series of messages.
const (
	HiccupTag = "hiccup"
	EchoTag   = "echo" // how long the echo had each message
	// The times of the messages of each member of a group, and of each partition; numbers follow, see Groups.Write.
	GroupTag     = "group"
	PartitionTag = "partition"
)

// Histograms has one histogram for each series, nil for a series that the cell does not have.
type Histograms [AllSeries]*histogram.Histogram

// NewHistograms returns the histograms that every cell has.
func NewHistograms() (t Histograms) {
	for s := range Required {
		t[s] = histogram.NewResident()
	}
	return t
}

// Grow makes the histograms of series that are still nil.
func (t *Histograms) Grow(series ...int) {
	for _, s := range series {
		if t[s] == nil {
			t[s] = histogram.NewResident()
		}
	}
}

// Reset empties all histograms.
func (t *Histograms) Reset() {
	for _, h := range t {
		if h != nil {
			h.Reset()
		}
	}
}

// An Interval is what was recorded from one offset to another, about a second later.
type Interval struct {
	From, To time.Duration
	Histograms
	Hiccup   time.Duration   // the longest; 0 without an observer
	Shortest []time.Duration // the shortest response on each connection; 0: none. Nil if that is not known
}

// Save writes the percentile tables of a cell. Handling holds how long the echo had each message;
// nil if that is not known.
func Save(folder *results.CellFolder, c *results.Cell, t Histograms, handling *histogram.Histogram) (err error) {
	save := func(name string, h *histogram.Histogram) {
		if h != nil { // the first error: the others have the same cause
			err = cmp.Or(err, folder.SavePercentiles(name, h))
		}
	}
	save(results.ResponseFile, t[Response])
	save(results.ServiceFile, t[Service])
	if interval, ok := CorrectionInterval(c.Plan); ok {
		save(results.CorrectedFile, t[Service].Corrected(interval))
	}
	save(results.AckFile, t[Ack])
	save(results.CompleteFile, t[Complete])
	save(results.PublishedFile, t[Published])
	save(results.FirstFile, t[First])
	save(results.EachFile, t[Each])
	for s := Sized; s < AllSeries; s++ {
		save(Tags[s]+results.TableSuffix, t[s])
	}
	if c.Echo != nil && (c.Echo.Clock == nil || c.Echo.Clock.BoundNS == 0) { // otherwise the cell withholds them
		save(results.OutwardFile, t[Outward])
		save(results.BackFile, t[Back])
		save(results.EchoFile, handling)
	}
	return err
}

// CorrectionInterval returns the interval at which the messages of a connection are due.
// HdrHistogram back-fills with it. ok is true only with one message in flight, where that
// correction means something, and a rate that does not change.
func CorrectionInterval(cell plan.Cell) (interval time.Duration, ok bool) {
	interval, ok = cell.Shape.Rate.After(uint64(cell.Shape.Connections))
	return interval, ok && cell.Shape.InFlight == 1 && interval > 0 && cell.Shape.Changes == ""
}

// Period is the length of an interval of the log.
const Period = time.Second

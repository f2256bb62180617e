package record

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// mostMembers is how many consumers, of all groups, have a histogram each. Of more each group has one.
const mostMembers = 64

// Groups has histograms of the deliveries to groups of consumers. Record may be called concurrently.
type Groups struct {
	each  []consumerHistogram // by group, then by member
	parts int                 // of a group: its members, or 1
}

type consumerHistogram struct {
	mu     sync.Mutex
	values *histogram.Histogram
	_      [64]byte // the next lock is on another cache line
}

// NewGroups returns empty histograms for so many groups with so many members each.
func NewGroups(groups, members int) Groups {
	if groups*members > mostMembers {
		members = 1
	}
	g := Groups{make([]consumerHistogram, groups*members), members}
	for i := range g.each {
		g.each[i].values = histogram.NewResident()
	}
	return g
}

// Record records a delivery. It allocates nothing.
func (g Groups) Record(m requester.Member, value time.Duration) {
	h := &g.each[m.Group*g.parts+m.Number%g.parts]
	h.mu.Lock()
	h.values.Record(value)
	h.mu.Unlock()
}

// Move adds the values of a group of one member to those of another one, and clears them.
func (g Groups) Move(from, to int) {
	a, b := &g.each[from*g.parts], &g.each[to*g.parts]
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.values.Merge(a.values) // both have one geometry
	a.values.Reset()
}

// Of returns the histogram of a group of one member. It is called after the last Record.
func (g Groups) Of(group int) *histogram.Histogram { return g.each[group*g.parts].values }

// Count returns how many values a group has. It is called after the last Record.
func (g Groups) Count(group int) (n int64) {
	for i := range g.parts {
		n += g.each[group*g.parts+i].values.Count()
	}
	return n
}

// Write writes all values into a log: each histogram with the tag, its group and its member. It is called after the last
// Record.
func (g Groups) Write(log *Log, tag string, from, to time.Duration) {
	for i := range g.each {
		log.Write(fmt.Sprintf("%s.%d.%d", tag, i/g.parts, i%g.parts), from, to, g.each[i].values)
	}
}

// Written returns the histogram to which those belong that a part of the cell wrote with the tag; nil if its name, as the log
// has it, is that of no group. Member i of the cell belongs to the part i modulo their number.
func (g Groups) Written(tag, name string, part schedule.Part) *histogram.Histogram {
	numbers, ok := strings.CutPrefix(name, tag+".")
	if !ok {
		return nil
	}
	var group, member int
	if n, _ := fmt.Sscanf(numbers, "%d.%d", &group, &member); n < 2 || min(group, member) < 0 || max(group, member) > mostMembers {
		return nil
	}
	i := group*g.parts + (part.Index+member*part.Of)%max(g.parts, 1)
	if i >= len(g.each) {
		return nil
	}
	return g.each[i].values
}

// Describe writes what each group received into a result. It is called after the last Record.
func (g Groups) Describe(c *results.Cell, counted []load.Group) {
	for i, one := range counted {
		all, own := histogram.New(), g.each[i*g.parts:(i+1)*g.parts]
		var members []*int64
		for j := range own {
			_ = all.Merge(own[j].values) // both have one geometry
			if g.parts == len(one.Members) {
				p99, _ := results.NewDistribution(own[j].values, 0).At(99)
				members = append(members, p99.ValueNS)
			}
		}
		each := results.NewDistribution(all, one.Missing())
		p50, _ := each.At(50)
		p99, _ := each.At(99)
		c.Groups = append(c.Groups, results.Group{
			Number: i, Ledger: one.Ledger, Duplicate: one.Duplicate, Disordered: one.Disordered, Members: one.Members, MembersP99NS: members,
			P50NS: p50.ValueNS, P99NS: p99.ValueNS, MaxNS: each.MaxNS,
		})
	}
}

// DescribePartitions writes what came from each partition into a result. It is called after the last Record.
// Partitions from which nothing came are those that the broker's settings count.
func (g Groups) DescribePartitions(c *results.Cell, b results.Broker) {
	known := 0
	for _, s := range b.Settings {
		if s.Name == "partitions" {
			known, _ = strconv.Atoi(s.Value)
		}
	}
	for i := range g.each {
		h := g.each[i].values
		if h.Count() == 0 && i >= known {
			continue
		}
		all := results.NewDistribution(h, 0)
		p50, _ := all.At(50)
		p99, _ := all.At(99)
		c.Partitions = append(c.Partitions, results.Partition{Number: i, AndAbove: i == len(g.each)-1 && known > len(g.each), Messages: h.Count(), P50NS: p50.ValueNS, P99NS: p99.ValueNS, MaxNS: all.MaxNS})
	}
}

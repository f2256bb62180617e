package causes

import (
	"math/rand/v2"

	"github.com/brokerbench/brokerbench/internal/leaf/cause"
)

// The pauses are permuted this often. If no candidate is nearly improbable enough after fewer permutations, that is
// the result.
const (
	permutations = 5000
	fewer        = 1000
	hopeless     = 3 * familyError
)

// depths are how many of the worst pauses are tested: a cause may be that of the worst ten alone.
func depths(pauses int) (list []int) {
	for _, n := range []int{10, 20, mostPauses} {
		if n < pauses {
			list = append(list, n)
		}
	}
	return append(list, pauses)
}

// A trial compares the pauses with each candidate. A hypothesis is a candidate and a number of the worst pauses.
type trial struct {
	grid   grid
	all    []*candidate
	pauses []pause // the worst first
	depths []int
	sums   []int64 // as those of the candidates, by sample and then by candidate

	seen   [][]uint8 // by permutation, and by hypothesis: how many pauses coincide; the first is what happened
	tail   [][]int   // by hypothesis and count: how many permutations have as many or more
	expect []float64 // by hypothesis
	least  []int     // by permutation: the least tail of all hypotheses, sorted

	shifted *trial // the same with shifts; nil if this has no hope, or is that
}

func newTrial(g grid, all []*candidate, pauses []pause) *trial {
	t := &trial{grid: g, all: all, pauses: pauses, depths: depths(len(pauses))}
	t.transpose()
	if t.permute(newShuffle(g, pauses)) {
		t.shifted = &trial{grid: g, all: all, pauses: pauses, depths: t.depths, sums: t.sums}
		t.shifted.permute(newShift(g, pauses))
	}
	return t
}

// permute computes the distributions; it reports false if it has no hope after fewer permutations.
func (t *trial) permute(by mover) bool {
	t.seen = append(t.seen, t.count(func(p pause) pause { return p }))
	for len(t.seen) <= permutations {
		by.next()
		t.seen = append(t.seen, t.count(by.moved))
		if len(t.seen) == fewer {
			if t.rank(); !t.hopeful() {
				return false
			}
		}
	}
	t.rank()
	return true
}

// transpose puts the sums of all candidates at a sample side by side.
func (t *trial) transpose() {
	n := len(t.all)
	t.sums = make([]int64, n*len(t.grid.ends))
	for k, c := range t.all {
		for i, sum := range c.sums {
			t.sums[i*n+k] = sum
		}
	}
}

// hopeful reports whether any hypothesis is nearly improbable enough.
func (t *trial) hopeful() bool {
	for h := range t.hypotheses() {
		if t.p(h) <= hopeless {
			return true
		}
	}
	return false
}

// hypotheses returns how many there are.
func (t *trial) hypotheses() int { return len(t.all) * len(t.depths) }

// count counts, for each hypothesis, the pauses that coincide with an event, when each is moved.
func (t *trial) count(move func(pause) pause) []uint8 {
	counts := make([]uint8, t.hypotheses())
	within := make([]int64, len(t.all))
	for i, p := range t.pauses {
		m := move(p)
		clear(within)
		t.sum(within, m.from, min(m.to, t.grid.to))
		if m.to > t.grid.to { // it goes on at the beginning
			t.sum(within, t.grid.from, t.grid.from+m.to-t.grid.to)
		}
		for k, c := range t.all {
			if !c.explains(within[k], p.worst, share) {
				continue
			}
			for d, depth := range t.depths {
				if i < depth {
					counts[k*len(t.depths)+d]++
				}
			}
		}
	}
	return counts
}

// sum adds for each candidate the sum of the samples from one time to another.
func (t *trial) sum(to []int64, from, until int64) {
	n := len(t.all)
	before, after := t.sums[t.grid.sample(from)*n:][:n], t.sums[(t.grid.sample(until)+1)*n:][:n]
	for k := range to {
		to[k] += after[k] - before[k]
	}
}

// rank computes the distributions.
func (t *trial) rank() {
	n := t.hypotheses()
	t.tail, t.expect = make([][]int, n), make([]float64, n)
	for h := range n {
		t.tail[h] = make([]int, mostPauses+2)
		for _, counts := range t.seen {
			t.tail[h][counts[h]]++
			t.expect[h] += float64(counts[h]) / float64(len(t.seen))
		}
		for c := mostPauses; c >= 0; c-- {
			t.tail[h][c] += t.tail[h][c+1]
		}
	}
	t.least = make([]int, len(t.seen)+1) // how many permutations have a least tail of so many or fewer
	for _, counts := range t.seen {
		least := len(t.seen)
		for h, c := range counts {
			least = min(least, t.tail[h][c])
		}
		t.least[least]++
	}
	for i := range len(t.seen) {
		t.least[i+1] += t.least[i]
	}
}

// p returns the corrected probability of a hypothesis: the greater of that by blocks and that by shifts. Two things that
// come at regular times meet always or never, also when shifted; blocks break their rhythm.
func (t *trial) p(h int) float64 {
	p := float64(t.least[t.tail[h][t.seen[0][h]]]) / float64(len(t.seen))
	if t.shifted != nil {
		p = max(p, t.shifted.p(h))
	}
	return p
}

// best returns the cause to name, with its numbers; nil if none is improbable enough.
func (t *trial) best(most float64) *candidate {
	of := make([]*candidate, 0, len(t.all)) // those to choose from
	for k, c := range t.all {
		if numbers, ok := t.strongest(k, c.Cause, most); ok {
			named := *c
			named.Cause = numbers
			of = append(of, &named)
		}
	}
	greatest := 0.0
	for _, c := range of {
		greatest = max(greatest, beyond(c.Cause))
	}
	var best *candidate
	for _, c := range of {
		if beyond(c.Cause) < nearly*greatest {
			continue
		}
		if best == nil || c.rank() < best.rank() || c.rank() == best.rank() && beyond(c.Cause) > beyond(best.Cause) {
			best = c
		}
	}
	return best
}

// strongest returns the numbers of a candidate for the number of pauses that is the least probable; ok is false if
// that may be chance.
func (t *trial) strongest(k int, c cause.Cause, most float64) (best cause.Cause, ok bool) {
	for d, depth := range t.depths {
		h := k*len(t.depths) + d
		c.Coincide, c.Pauses, c.Expected, c.P = int(t.seen[0][h]), depth, t.expect[h], t.p(h)
		if c.P > most || c.Coincide < leastTogether || beyond(c) < leastShare {
			continue
		}
		if !ok || c.P < best.P || c.P == best.P && c.Pauses > best.Pauses {
			best, ok = c, true
		}
	}
	return best, ok
}

// beyond returns the share of pauses that coincide beyond chance.
func beyond(c cause.Cause) float64 { return (float64(c.Coincide) - c.Expected) / float64(c.Pauses) }

// A mover draws permutations of the window, and tells where they put a pause. Its length is the same.
type mover interface {
	next()
	moved(p pause) pause
}

// A shift moves all pauses by the same time: by more than a pause lasts, so that they leave what they coincide with, and
// by a quarter of the window at most. Those that would leave the window stay.
type shift struct {
	grid          grid
	least, offset int64
	random        *rand.Rand
}

func newShift(g grid, pauses []pause) *shift {
	s := &shift{grid: g, random: rand.New(rand.NewPCG(3, 4))} //nolint:gosec // not a secret
	for _, p := range pauses {
		s.least = min(max(s.least, p.to-p.from), (g.to-g.from)/8)
	}
	return s
}

func (s *shift) next() {
	s.offset = s.least + s.random.Int64N((s.grid.to-s.grid.from)/4-s.least)
	if s.random.Uint32()%2 == 0 {
		s.offset = -s.offset
	}
}

func (s *shift) moved(p pause) pause {
	if from := p.from + s.offset; from >= s.grid.from && from < s.grid.to {
		return pause{from, p.to + s.offset, p.worst}
	}
	return p
}

// A shuffle moves pauses: it cuts the window, whose end is joined to its beginning, into blocks, and permutes them.
type shuffle struct {
	grid        grid
	length      int64 // of a block
	cut, offset int64 // where the first block begins, before and after
	order       []int
	random      *rand.Rand
}

func newShuffle(g grid, pauses []pause) *shuffle {
	n := blocks(pauses, g.from, g.to)
	s := &shuffle{grid: g, length: (g.to - g.from) / int64(n), random: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // not a secret
	for i := range n {
		s.order = append(s.order, i)
	}
	return s
}

// next draws a permutation.
func (s *shuffle) next() {
	whole := s.length * int64(len(s.order))
	s.cut, s.offset = s.random.Int64N(whole), s.random.Int64N(whole)
	s.random.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
}

func (s *shuffle) moved(p pause) pause {
	whole := s.length * int64(len(s.order))
	at := (p.from - s.grid.from + s.cut) % whole
	at = (int64(s.order[at/s.length])*s.length + at%s.length + s.offset) % whole
	from := s.grid.from + at
	return pause{from, from + p.to - p.from, p.worst}
}

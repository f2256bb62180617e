package judge

import (
	"math"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// connections keeps the shortest response of each connection in blocks of the window. When there are
// many, neighbours become one: a connection takes 96 B, however long the run is.
type connections struct {
	blocks [][]float32 // seconds of response, by block and connection; 0: there were no replies
	span   int         // how many intervals make a block; 0 means 1
	last   int         // how many the last has
}

func (c *connections) add(shortest []time.Duration, pause func()) {
	c.span = max(c.span, 1)
	if len(c.blocks) == 0 || c.last == c.span {
		if len(c.blocks) == 2*mostBlocks {
			c.halve(pause)
		}
		c.blocks, c.last = append(c.blocks, make([]float32, len(shortest))), 0
	}
	c.last++
	for i, d := range shortest {
		shorten(&c.blocks[len(c.blocks)-1][i], float32(d.Seconds()))
	}
}

func (c *connections) halve(pause func()) {
	for i := range mostBlocks {
		block := c.blocks[2*i]
		for j, d := range c.blocks[2*i+1] {
			shorten(&block[j], d)
		}
		c.blocks[i] = block
		pause()
	}
	clear(c.blocks[mostBlocks:])
	c.blocks, c.span = c.blocks[:mostBlocks], 2*c.span
}

// shorten makes a response the shorter of two; 0 is unknown.
func shorten(least *float32, d float32) {
	if d != 0 && (*least == 0 || d < *least) {
		*least = d
	}
}

// growing returns the connections whose queue grew all the time; nil if there is none.
func (c *connections) growing() *results.Growing {
	if len(c.blocks) < leastBlocks {
		return nil
	}
	g := results.Growing{Of: len(c.blocks[0])}
	perBlock := float64(c.span) * record.Period.Seconds()
	for conn := range g.Of {
		waits := c.waits(conn)
		if waits == nil || waits[len(waits)-1]-waits[0] < leastGrowth*perBlock*float64(len(waits)-1) {
			continue
		}
		growth := stats.TheilSen(waits) / perBlock
		if !lasts(waits, growth) || !beyondChance(waits, anyChance/float64(g.Of)) {
			continue
		}
		g.Connections++
		g.GrowsNSPer = max(g.GrowsNSPer, math.Round(growth*1e9))
	}
	if g.Connections == 0 {
		return nil
	}
	return &g
}

// waits returns the blocks of a connection; nil if it had no replies in one.
func (c *connections) waits(conn int) []float64 {
	waits := make([]float64, len(c.blocks))
	for i, block := range c.blocks {
		if waits[i] = float64(block[conn]); waits[i] == 0 {
			return nil
		}
	}
	return waits
}

package load

// MostPartitions is how many partitions are told apart. Messages from any other partition count as from the last.
const MostPartitions = 64

// partitionOf returns a partition as ops have it.
func partitionOf(number int) uint8 { return uint8(min(max(number, 0), MostPartitions-1) + 1) }

// order returns one above the highest sequence that came back, among the messages that have an order with seq.
func (c *conn) order(seq uint64) *uint64 {
	if c.keyed == nil {
		return &c.highest
	}
	return c.keyed.At(0, c.id, seq)
}

package plan

import "math/rand/v2"

// orderStream is the random stream that orders are drawn from. The shares of a
// schedule use the streams from 0 on.
const orderStream = 1 << 63

// order returns a function that returns the order in which to measure the targets
// for the next shape: their indices.
func (p Plan) order() func() []int {
	if p.Repeat > 1 {
		draw := rand.New(rand.NewPCG(p.Settings.Seed, orderStream)) //nolint:gosec // not a secret
		return func() []int { return draw.Perm(len(p.Targets)) }
	}
	declared := make([]int, len(p.Targets))
	for i := range declared {
		declared[i] = i
	}
	return func() []int { return declared }
}

package plan

import "math/rand/v2"

// orderStream is the random stream that orders are drawn from. The shares of a
// schedule use the streams from 0 on.
const orderStream = 1 << 63

// order draws the orders in which a plan measures its targets.
type order struct {
	targets int
	draw    *rand.Rand // nil: always as declared
}

func (p Plan) order() order {
	o := order{targets: len(p.Targets)}
	if p.Repeat > 1 {
		o.draw = rand.New(rand.NewPCG(p.Settings.Seed, orderStream)) //nolint:gosec // not a secret
	}
	return o
}

// next returns the order for the next shape: indices of targets.
func (o order) next() []int {
	if o.draw != nil {
		return o.draw.Perm(o.targets)
	}
	declared := make([]int, o.targets)
	for i := range declared {
		declared[i] = i
	}
	return declared
}

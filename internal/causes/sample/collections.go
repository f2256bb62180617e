package sample

import (
	"runtime/metrics"
	"time"
)

// collections counts those of Go's runtime in this process, without stopping it.
type collections struct {
	series int
	sample []metrics.Sample
	cycles counter
}

func newCollections(series int) *collections {
	return &collections{series: series, sample: []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}}
}

func (c *collections) read(s *Sampler, _ int, _ time.Duration) {
	metrics.Read(c.sample)
	if v := c.sample[0].Value; v.Kind() == metrics.KindUint64 {
		s.out[c.series] = c.cycles.grown(int64(v.Uint64()))
	}
}

func (*collections) close() {}

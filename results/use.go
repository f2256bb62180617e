package results

import (
	"slices"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
)

// A Use says whether a percentile may be used.
type Use string

// The uses. A percentile of an old result, which has none, is usable if it is trusted.
const (
	Usable     Use = "usable"
	Limited    Use = "limited" // it contains more than the target, or too few events are above it
	UseUnknown Use = "unknown" // it has no value: missing messages rank there
)

// Usable reports whether the percentile may be used.
func (p Percentile) Usable() bool {
	return p.Use == Usable || p.Use == "" && p.Trusted
}

// A Limit names percentiles of one series.
type Limit struct {
	Series      string    `json:"series"` // response or service
	Percentiles []float64 `json:"percentiles"`
}

// judge sets the use of each percentile of a series by the problems that limit it.
func (d *Distribution) judge(series string, problems []Problem) {
	for i := range d.Percentiles {
		row := &d.Percentiles[i]
		row.LimitedBy = nil
		for _, p := range problems {
			if p.Limit(series, row.Percentile) {
				row.LimitedBy = append(row.LimitedBy, p.Code)
			}
		}
		if code := row.thin(); code != "" && !slices.Contains(row.LimitedBy, CodeWindow) && !slices.Contains(row.LimitedBy, code) {
			row.LimitedBy = append(row.LimitedBy, code)
		}
		row.use()
	}
}

// use sets the use of a percentile by what limits it.
func (p *Percentile) use() {
	switch {
	case p.ValueNS == nil:
		p.Use, p.LimitedBy = UseUnknown, nil
	case len(p.LimitedBy) > 0:
		p.Use = Limited
	default:
		p.Use = Usable
	}
}

// Limits names everything that limits a percentile, such as "this machine"; nothing if it is
// usable or unknown.
func (p Percentile) Limits() []string { return LimitsOf(p.Codes()) }

// Codes returns the problems that limit a percentile; none if it is usable or unknown.
func (p Percentile) Codes() []Code {
	if len(p.LimitedBy) > 0 || p.Usable() || p.ValueNS == nil {
		return p.LimitedBy
	}
	return []Code{p.thin()}
}

// LimitsOf names the causes by which problems limit numbers, each once.
func LimitsOf(codes []Code) (limits []string) {
	for _, code := range codes {
		limits = append(limits, code.By())
	}
	return group.Unique(limits)
}

// thin returns the problem of a known percentile that too few messages, or too few events,
// are above it; "" if enough are.
func (p Percentile) thin() Code {
	switch {
	case p.Trusted || p.ValueNS == nil:
		return ""
	case p.SamplesAbove < histogram.MinAbove:
		return CodeSamples
	}
	return CodeRare
}

// Limit reports whether the problem limits a percentile of a series.
func (p Problem) Limit(series string, percentile float64) bool {
	return slices.ContainsFunc(p.Limits, func(l Limit) bool {
		return l.Series == series && slices.Contains(l.Percentiles, percentile)
	})
}

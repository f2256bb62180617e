package cli

import (
	"errors"

	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/results/compare"
	"github.com/brokerbench/brokerbench/results/rank"
)

// rankLong is the part of compare's help about one run.
const rankLong = `
Of one run alone, compare RUN ranks its targets at each shape and percentile that the
plan asks for: who is faster, how sure that is, and what cannot be told apart. The
targets of a shape are measured by turns within each repeat, so the repeats are
pairs. With one repeat it names no winner.
`

// runRank ranks the targets of one run, or of several that are joined.
func runRank(s Streams, o compareOptions) error {
	if len(o.failOn) > 0 || o.By == compare.ByShape || o.Force {
		return usage(errors.New("one run is ranked, which takes no --fail-on, --by shape or --unequal (want BASE NEW... to compare)"))
	}
	set, err := openSide(o.base)
	if err != nil {
		return err
	}
	ranking, err := rank.Rank(set)
	if err != nil {
		return err
	}
	return o.show(s, report.Rank(ranking))
}

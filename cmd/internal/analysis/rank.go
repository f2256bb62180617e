package analysis

import (
	"errors"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/report/comparison"
)

// rankLong is the part of compare's help about one run.
const rankLong = `
Of one run alone, compare RUN ranks its targets at each shape and percentile that the
plan asks for: which is faster, with which confidence, and which targets cannot be
told apart. The targets of a shape are measured by turns within each repeat, so the repeats are
pairs. With one repeat it names no winner.
`

// runRank ranks the targets of one run, or of several that are joined.
func runRank(s command.Streams, o compareOptions) error {
	if len(o.failOn) > 0 || o.By == compare.ByShape || o.Force {
		return command.Usage(errors.New("one run is ranked, which takes no --fail-on, --by shape or --unequal (want BASE NEW... to compare)"))
	}
	set, err := openSide(s, o.base)
	if err != nil {
		return err
	}
	ranking, err := rank.Rank(set)
	if err != nil {
		return err
	}
	return o.Show(s, comparison.Rank(ranking))
}

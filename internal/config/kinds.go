package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/config/number"
	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// Limits that keep a slip of the finger from becoming an experiment.
const (
	maxRepeat  = 10_000
	maxSenders = 1024
)

// Patterns of texts. Code and schema are tested to agree.
const (
	rateText     = `^[0-9]+(\.[0-9]+)? ?[kKM]?(/[smh])?$`
	sizeText     = `^[0-9]+(\.[0-9]+)? ?([bB]|[kKmMgG][iI]?[bB])?$`
	durationText = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
	sloText      = `^ *(lost-acked *== *0 *$|((response|service|ack|complete|lag|held|user\([^()]+\)(\.sum)?)\.)?(p\(?[0-9.]+\)?|max|loss|rate|outage|recovery)\s*(<=|>=|<|>|≤|≥)\s*[0-9])`
	userText     = `^ *[0-9]+( *in +(sequence|parallel))? *$`
	burstText    = `^burst:([2-9]|[1-9][0-9]{1,5}|1000000)$` // what schedule.Burst makes of 2 to 1,000,000
)

// A kind is how the values of a key are written.
type kind struct {
	put     func(text string) error // reads a text into the draft; see into
	schema  object                  // of a single value
	words   []string                // that are values
	mapping bool                    // whether a plan file may write one as a mapping; see weights
	sweep   string                  // an example of a range; "" if the key takes none

	// A range counts in whole numbers, so that a long one does not drift.
	number func(text string) (int64, error)
	one    int64 // what the user calls 1
}

// into returns a function that reads a text into a field. It does not check the
// limits that Validate checks.
func into[V any](field *V, parse func(text string) (V, error)) func(text string) error {
	return func(text string) error {
		v, err := parse(text)
		if err == nil {
			*field = v
		}
		return err
	}
}

// read reads text into the draft. Its error names the key.
func (k Key) read(text string) error { return k.wrong(text, k.put(text)) }

// wrong returns err with the key and the text that it is about.
func (k Key) wrong(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", k.Name, quote(text), err)
}

// or also takes one other value, such as 0 without a unit.
func (k kind) or(other any) kind {
	k.schema = anyOf(k.schema, object{"const": other})
	return k
}

// ranged also takes ranges of whole numbers.
func (k kind) ranged(sweep string, read func(text string) (int, error)) kind {
	k.sweep, k.one = sweep, 1
	k.number = func(text string) (int64, error) {
		n, err := read(text)
		return int64(n), err
	}
	return k
}

func ofText(field *string) kind {
	asIs := func(text string) (string, error) { return text, nil }
	return kind{put: into(field, asIs), schema: object{"type": "string", "minLength": 1}}
}

// ofWord is one of some words.
func ofWord[T ~string](field *T, allowed []T) kind {
	words := texts(allowed)
	return kind{words: words, schema: object{"enum": words}, put: into(field, func(text string) (T, error) {
		if !slices.Contains(words, text) {
			return "", errors.New("want " + strings.Join(words, ", "))
		}
		return T(text), nil
	})}
}

func texts[T ~string](words []T) (list []string) {
	for _, word := range words {
		list = append(list, string(word))
	}
	return list
}

func ofSwitch(field *bool) kind {
	k := ofWord(new(string), []string{"on", "off"})
	check := k.put
	k.put = func(text string) error {
		*field = text == "on"
		return check(text)
	}
	return k
}

func ofEcho(field *plan.Echo) kind {
	const off = "off"
	k := ofWord(field, []plan.Echo{off, plan.EchoProcess, plan.EchoAgent})
	put := k.put
	k.put = func(text string) error {
		err := put(text)
		if *field == off {
			*field = ""
		}
		return err
	}
	return k
}

// ofName also takes an integer, which YAML makes of 2026.
func ofName(field *string) kind {
	return kind{put: into(field, parseName), schema: object{"type": []any{"string", "integer"}, "pattern": namePattern}}
}

func ofDuration(field *time.Duration) kind {
	return kind{schema: matching(durationText), put: into(field, number.Duration)}
}

// ofCount is a whole number from 1 to limit.
func ofCount(field *int, limit int) kind {
	return kind{schema: object{"type": "integer", "minimum": 1, "maximum": limit}, put: into(field, countTo(limit))}
}

func countTo(limit int) func(text string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		switch {
		case number.NoCommas(text) != nil:
			return 0, number.NoCommas(text)
		case err == nil && n >= 1 && n <= limit:
			return n, nil
		case limit == math.MaxInt32:
			return 0, errors.New("want a whole number, 1 or above")
		}
		return 0, fmt.Errorf("want a whole number from 1 to %d", limit)
	}
}

// ofConnections is a number without a limit but that of Validate.
func ofConnections(field *int) kind {
	return ofCount(field, math.MaxInt32).ranged("1..256*4", countTo(math.MaxInt32))
}

// ofCountOr is a number, or a word that stands for 0.
func ofCountOr(field *int, word, sweep string) kind {
	parse := func(text string) (int, error) {
		if text == word {
			return 0, nil
		}
		n, err := countTo(math.MaxInt32)(text)
		if err != nil {
			err = fmt.Errorf("%w, or %s", err, word)
		}
		return n, err
	}
	k := ofCount(field, math.MaxInt32).or(word).ranged(sweep, parse)
	k.put, k.words = into(field, parse), []string{word}
	return k
}

func ofSeed(field *uint64) kind {
	return kind{schema: object{"type": "integer", "minimum": 0}, put: into(field, func(text string) (uint64, error) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			err = errors.New("want a whole number, 0 or above")
		}
		return seed, err
	})}
}

func ofSpin(field *plan.Spin) kind {
	return kind{words: []string{"auto"}, schema: anyOf(matching(durationText), object{"enum": []any{0, "auto"}}), put: func(text string) error {
		if field.UnmarshalText([]byte(text)) != nil {
			return errors.New("want auto or a time such as 50us")
		}
		return nil
	}}
}

// ofPercentiles is one number, or several with commas.
func ofPercentiles(field *[]float64) kind {
	known := plan.KnownPercentiles()
	one := "(" + strings.ReplaceAll(regexp.QuoteMeta(commas(known)), ",", "|") + ")"
	k := kind{schema: anyOf(object{"enum": known}, matching("^ *"+one+"( *, *"+one+")* *$"))}
	k.put = into(field, func(text string) (percentiles []float64, err error) {
		for word := range strings.SplitSeq(text, ",") {
			percentile, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil || !slices.Contains(known, percentile) {
				return nil, fmt.Errorf("want some of %v, with commas", known)
			}
			percentiles = append(percentiles, percentile)
		}
		return percentiles, nil
	})
	return k
}

// commas writes a list with commas, the form that percentiles have.
func commas[V any](list []V) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}

func ofArrivals(field *schedule.Arrivals) kind {
	words := []string{string(schedule.Constant), string(schedule.Poisson)}
	return kind{
		words: append(words, "burst:"), schema: anyOf(object{"enum": words}, matching(burstText)),
		put: into(field, func(text string) (schedule.Arrivals, error) {
			a, err := schedule.ParseArrivals(text)
			if err == nil {
				return a, nil
			}
			// The user may have meant one of the words, or a burst of the number at the end.
			similar := slices.Clone(words)
			number := text[len(strings.TrimRight(text, "0123456789")):]
			if burst, err := schedule.ParseArrivals("burst:" + number); err == nil {
				similar = append(similar, string(burst))
			}
			return "", fmt.Errorf("%w%s", err, suggest.Hint(text, similar))
		}),
	}
}

// ofUsers is one user or several; a reader puts them into a plan.
func ofUsers() kind {
	one := anyOf(object{"type": "integer", "minimum": 1}, matching(userText))
	return kind{schema: anyOf(one, object{"type": "array", "minItems": 1, "items": one})}
}

// ofObjectives is one objective or several; a reader puts them into a plan.
func ofObjectives() kind {
	return kind{
		schema: anyOf(matching(sloText), object{"type": "array", "minItems": 1, "items": matching(sloText)}),
		words:  []string{"p50<", "p99<", "p99.9<", "max<", "loss<", "rate>"},
	}
}

func ofSize(field *int) kind {
	schema := anyOf(object{"type": "integer", "minimum": 1}, matching(sizeText))
	return kind{schema: schema, put: into(field, number.Size)}.ranged("256B..1MiB*4", number.Size)
}

// ofRate is a rate, or one that changes, of which a trace has its mean only in the plan.
func ofRate(s *plan.Shape) kind {
	return kind{
		schema: anyOf(object{"type": "number", "minimum": schedule.MinRate}, matching(rateText), matching(changesText)),
		put: func(text string) (err error) {
			c, changes, err := number.Changes(text)
			if changes {
				s.Changes, s.Rate = c, max(plan.Settings{}.MeanRate(c), schedule.MinRate)
				return err
			}
			s.Changes = ""
			return into(&s.Rate, number.Rate)(text)
		},
		sweep: "1k..64k*2", number: number.Thousandths, one: schedule.PerSecond,
	}
}

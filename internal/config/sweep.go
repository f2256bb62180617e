package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// maxSweep is how many values one range may have.
const maxSweep = 1000

// sweepParts are the two ends of a range, the operator and the step.
var sweepParts = regexp.MustCompile(`^(.+?) ?\.\. ?(.+?) ?([*+]) ?(.+)$`)

// expand returns the values of a range, such as 1k..64k*2 (1k, 2k, 4k … 64k) or
// 100..500+100, or a single value unchanged. The last value is the largest that
// is not above the end.
func (k Key) expand(text string) (values []string, err error) {
	if k.scale == nil || !strings.Contains(text, "..") {
		return []string{text}, nil
	}
	parts := sweepParts.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%s %s: want from..to*factor or from..to+step, such as %s", k.Name, quote(text), k.sweep)
	}
	from, err := k.read(parts[1])
	if err != nil {
		return nil, err
	}
	to, err := k.read(parts[2])
	if err != nil {
		return nil, err
	}
	next, err := k.step(from, parts[3], parts[4])
	if err != nil {
		return nil, err
	}
	if from > to {
		return nil, fmt.Errorf("%s %s: it begins above its end", k.Name, quote(text))
	}
	for v := from; v <= to; v = next(v) {
		if values = append(values, k.scale.write(v)); len(values) > maxSweep {
			return nil, fmt.Errorf("%s %s has more than %d values", k.Name, quote(text), maxSweep)
		}
	}
	return values, nil
}

// read reads one number of a range.
func (k Key) read(text string) (int64, error) {
	n, err := k.scale.read(text)
	if err == nil && n <= 0 {
		err = errors.New("a range goes over numbers above 0")
	}
	return n, k.wrong(text, err)
}

// step returns the function from one value to the next.
func (k Key) step(from int64, operator, text string) (next func(int64) int64, err error) {
	if operator == "+" {
		step, err := k.read(text)
		return func(v int64) int64 { return min(v, math.MaxInt64-step) + step }, err
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor >= 1.01 && factor <= 1e6) {
		return nil, fmt.Errorf("%s: factor %s: want a number from 1.01 to 1000000, such as 2", k.Name, quote(text))
	}
	least := k.scale.least(from)
	return func(v int64) int64 {
		steps := math.Round(float64(v) * factor / float64(least))
		return max(v+least, int64(min(steps, float64(math.MaxInt64/2/least)))*least)
	}, nil
}

// sweeps replaces each range by its values. It reports numbers with commas, which are
// lists, and leaves them out.
func (m *mistakes) sweeps(k Key, values []value) (expanded []value) {
	if k.scale != nil {
		values = m.checkCommas(k, values)
	}
	for _, v := range values {
		texts, err := k.expand(v.text)
		m.check(v.at, err)
		for _, text := range texts {
			expanded = append(expanded, value{text, v.at})
		}
	}
	return expanded
}

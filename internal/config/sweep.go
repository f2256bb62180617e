package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// maxSweep is how many values one range may have.
const maxSweep = 1000

var (
	// sweepParts are the two ends of a range, the operator and the step.
	sweepParts = regexp.MustCompile(`^(.+?) ?\.\. ?(.+?) ?([*+]) ?(.+)$`)
	// A number with commas, which a list splits at them, begins and goes on like this.
	firstDigits = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})*$`)
	laterDigits = regexp.MustCompile(`^[0-9]{3}$`)
)

// sweeps replaces each range by its values. It puts the parts of numbers together that commas
// split into lists, so that they are refused as a whole: 1,000 is no list of 1 and 000.
func (m *mistakes) sweeps(k Key, values []value) (expanded []value) {
	if k.number == nil {
		return values
	}
	if k.mapping {
		values = weightsTogether(values)
	}
	for _, v := range together(values) {
		texts, err := k.expand(v.text)
		m.check(v.at, err)
		for _, text := range texts {
			expanded = append(expanded, value{text, v.at})
		}
	}
	return expanded
}

// together puts the parts of a number together that has commas. One of the parts begins with a zero,
// as other numbers do not: 50,100 may be meant as a list, and is one. It also puts together what is
// between brackets.
func together(values []value) (whole []value) {
	for len(values) > 0 {
		one, n, zero := values[0], 1, false
		for n < len(values) && strings.Count(one.text, "(") > strings.Count(one.text, ")") {
			one.text += ", " + values[n].text
			n++
		}
		if n > 1 {
			whole, values = append(whole, one), values[n:]
			continue
		}
		for n < len(values) && firstDigits.MatchString(one.text) && laterDigits.MatchString(values[n].text) {
			one.text += "," + values[n].text
			zero = zero || values[n].text[0] == '0'
			n++
		}
		if !zero {
			one, n = values[0], 1
		}
		whole, values = append(whole, one), values[n:]
	}
	return whole
}

// expand returns the values of a range, such as 1k..64k*2 (1k, 2k, 4k … 64k) or
// 100..500+100, or a single value unchanged. The last value is the largest that
// is not above the end.
func (k Key) expand(text string) (values []string, err error) {
	if !strings.Contains(text, "..") || strings.Contains(text, "(") || strings.HasPrefix(text, tracePrefix) {
		return []string{text}, nil
	}
	parts := sweepParts.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%s %s: want from..to*factor or from..to+step, such as %s", k.Name, quote(text), k.sweep)
	}
	from, errFrom := k.end(parts[1])
	to, errTo := k.end(parts[2])
	next, errStep := k.step(from, parts[3], parts[4])
	switch err := errors.Join(errFrom, errTo, errStep); {
	case err != nil:
		return nil, err
	case from > to:
		return nil, fmt.Errorf("%s %s: it begins above its end", k.Name, quote(text))
	}
	for v := from; v <= to; v = next(v) {
		if values = append(values, k.write(v)); len(values) > maxSweep {
			return nil, fmt.Errorf("%s %s has more than %d values", k.Name, quote(text), maxSweep)
		}
	}
	return values, nil
}

// end reads one number of a range.
func (k Key) end(text string) (int64, error) {
	n, err := k.number(text)
	if err == nil && n <= 0 {
		err = errors.New("a range goes over numbers above 0")
	}
	return n, k.wrong(text, err)
}

// write writes a number of a range.
func (k Key) write(n int64) string {
	if k.one == schedule.PerSecond {
		return schedule.RateOf(n).Column()
	}
	return strconv.FormatInt(n, 10)
}

// step returns the function from one value to the next. The smallest step of a range that begins
// with a whole number is one.
func (k Key) step(from int64, operator, text string) (next func(int64) int64, err error) {
	if operator == "+" {
		step, err := k.end(text)
		return func(v int64) int64 { return min(v, math.MaxInt64-step) + step }, err
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor >= 1.01 && factor <= 1e6) {
		return nil, fmt.Errorf("%s: factor %s: want a number from 1.01 to 1000000, such as 2", k.Name, quote(text))
	}
	least := k.one
	if from%least != 0 {
		least = 1
	}
	return func(v int64) int64 {
		steps := math.Round(float64(v) * factor / float64(least))
		return max(v+least, int64(min(steps, float64(math.MaxInt64/2/least)))*least)
	}, nil
}

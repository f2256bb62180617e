package config

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
)

// maxSweep is how many values one sweep may have.
const maxSweep = 1000

// sweepParts are the two ends of a sweep, how it goes on, and by what.
var sweepParts = regexp.MustCompile(`^(.+?) ?\.\. ?(.+?) ?([*+]) ?(.+)$`)

// sweep returns the values of a range, such as 1k..64k*2 (1k, 2k, 4k … 64k) or
// 100..500+100, and of a single value that value. The last is the largest that
// is not above the end.
func (a axis) sweep(text string) (values []string, err error) {
	if a.number == nil || !strings.Contains(text, "..") {
		return []string{text}, nil
	}
	parts := sweepParts.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("%s %s: want from..to*factor or from..to+step, such as %s", a.name, quote(text), a.sweepExample)
	}
	from, err := a.read(parts[1])
	if err != nil {
		return nil, err
	}
	to, err := a.read(parts[2])
	if err != nil {
		return nil, err
	}
	next, err := a.step(parts[3], parts[4])
	if err != nil {
		return nil, err
	}
	if from > to {
		return nil, fmt.Errorf("%s %s: it begins above its end", a.name, quote(text))
	}
	for v := from; v <= to; v = next(v) {
		if values = append(values, strconv.Itoa(v)); len(values) > maxSweep {
			return nil, fmt.Errorf("%s %s has more than %d values", a.name, quote(text), maxSweep)
		}
	}
	return values, nil
}

// read reads one number of a sweep.
func (a axis) read(text string) (int, error) {
	var s plan.Shape
	if err := a.put(&s, text); err != nil {
		return 0, err
	}
	if n := a.number(s); n > 0 {
		return n, nil
	}
	return 0, fmt.Errorf("%s %s: a sweep goes over numbers above 0", a.name, quote(text))
}

// step returns what makes the next value of the one before.
func (a axis) step(operator, text string) (next func(int) int, err error) {
	if operator == "+" {
		step, err := a.read(text)
		return func(v int) int { return v + step }, err
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor >= 1.01 && factor <= 1e6) {
		return nil, fmt.Errorf("%s: factor %s: want a number from 1.01 to 1000000, such as 2", a.name, quote(text))
	}
	return func(v int) int {
		return max(v+1, int(min(math.Round(float64(v)*factor), math.MaxInt/2)))
	}, nil
}

// sweeps puts the values of each sweep in its place.
func (m *mistakes) sweeps(a axis, values []value) (expanded []value) {
	for _, v := range values {
		texts, err := a.sweep(v.text)
		m.check(v.at, err)
		for _, text := range texts {
			expanded = append(expanded, value{text, v.at})
		}
	}
	return expanded
}

// sweepSchema takes what sweep does.
func (a axis) sweepSchema() object {
	return object{"type": "string", "pattern": `^[^.]+(\.[0-9]+)?[^.]* ?\.\. ?[^.]+(\.[0-9]+)?[^.]*[*+] ?[0-9].*$`}
}

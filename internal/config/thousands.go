package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	// withCommas is a number with a comma before each three digits.
	withCommas = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+$`)
	firstGroup = regexp.MustCompile(`^[1-9][0-9]{0,2}$`)
	laterGroup = regexp.MustCompile(`^[0-9]{3}$`)
)

// noCommas returns an error if a text is a number with commas in it.
func noCommas(text string) error {
	if !withCommas.MatchString(text) {
		return nil
	}
	return errors.New("a number has no commas: write " + strings.ReplaceAll(text, ",", ""))
}

// groups returns how many of the values are one number that commas split into a list: 1,000
// becomes 1 and 000. One of the parts must begin with a zero, since other numbers do not.
// 50,100 may be meant as a list, and is read as one. 0 is no such number.
func groups(values []value) (n int) {
	zero := false
	for i, v := range values {
		if i == 0 && !firstGroup.MatchString(v.text) || i > 0 && !laterGroup.MatchString(v.text) {
			break
		}
		zero = zero || strings.HasPrefix(v.text, "0")
		n++
	}
	if !zero {
		return 0
	}
	return n
}

// checkCommas reports numbers of an axis that commas made lists of, and returns the
// other values.
func (m *mistakes) checkCommas(a Key, values []value) (others []value) {
	for len(values) > 0 {
		n := groups(values)
		if n == 0 {
			others, values = append(others, values[0]), values[1:]
			continue
		}
		var texts []string
		for _, v := range values[:n] {
			texts = append(texts, v.text)
		}
		text := strings.Join(texts, ",")
		m.add(values[0].at, "%s is %s, %s and %s: write %s", text, several(n, a), strings.Join(texts[:n-1], ", "), texts[n-1], plainly(a, text))
		values = values[n:]
	}
	return others
}

// several counts the values of an axis in words: two rates.
func several(n int, a Key) string {
	count := fmt.Sprint(n)
	if n == 2 || n == 3 {
		count = []string{"two", "three"}[n-2]
	}
	if a.Name == "rate" || a.Name == "size" {
		return count + " " + a.Name + "s"
	}
	return count + " values of " + a.Name
}

// plainly writes a number with commas without them; a rate as 1000 or 1k.
func plainly(a Key, text string) string {
	digits := strings.ReplaceAll(text, ",", "")
	if a.Name != "rate" {
		return digits
	}
	for _, unit := range []struct{ zeros, letter string }{{"000000", "M"}, {"000", "k"}} {
		if short, ok := strings.CutSuffix(digits, unit.zeros); ok {
			return fmt.Sprintf("%s or %s%s", digits, short, unit.letter)
		}
	}
	return digits
}

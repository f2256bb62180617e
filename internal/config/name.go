package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// namePattern takes letters and digits of every script; plan.FileName makes names of
// files of them.
const namePattern = `^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$`

var (
	goodName = regexp.MustCompile(namePattern)
	notName  = regexp.MustCompile(`[^\p{L}\p{M}\p{N}._-]+`)
	notFirst = regexp.MustCompile(`^[^\p{L}\p{N}]+`)
)

// parseName reads the name of a plan or target.
func parseName(text string) (string, error) {
	if goodName.MatchString(text) {
		return text, nil
	}
	err := errors.New("want letters, digits, - _ and . only, a letter or digit first, at most 64")
	if better := cleanName(redact(text)); better != "" {
		err = fmt.Errorf("%w (such as %q)", err, better)
	}
	return "", err
}

// cleanName returns a good name like text; "" if nothing is left of it.
func cleanName(text string) string {
	name := notFirst.ReplaceAllString(notName.ReplaceAllString(text, "-"), "")
	runes := []rune(strings.TrimRight(name, "-._"))
	return string(runes[:min(len(runes), 64)])
}

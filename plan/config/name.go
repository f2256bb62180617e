package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// namePattern is what names a folder on every system.
const namePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`

var (
	goodName = regexp.MustCompile(namePattern)
	notName  = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
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
	name := strings.Trim(notName.ReplaceAllString(text, "-"), "-._")
	return name[:min(len(name), 64)]
}

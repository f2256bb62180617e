package brokers

import (
	"fmt"
	"regexp"
	"strings"
)

// address finds the first host:port of a text that is no URL, with any user:password@
// before it, and more hosts, a path or options behind.
var address = regexp.MustCompile(`^[^/?#]*?:([0-9]{1,5})(?:[,/?#].*)?$`)

// withoutScheme returns the error of a host and port without a scheme, with the URL
// that was meant if the port is a broker's usual one; nil if it is no such text.
func (t Table) withoutScheme(text string) error {
	parts := address.FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	for _, b := range t {
		url := b.Schemes[0] + "://" + text
		if usual := address.FindStringSubmatch(afterScheme(b.Example)); usual != nil && usual[1] == parts[1] {
			return fmt.Errorf("target %s has no scheme: did you mean %s?", bare(url), Redact(url))
		}
	}
	return fmt.Errorf("target %s has no scheme: want SCHEME://%[1]s with one of %s", bare("x://"+text), strings.Join(t.schemes(), ", "))
}

// bare returns a URL without its scheme and its password.
func bare(url string) string { return afterScheme(Redact(url)) }

func afterScheme(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	return rest
}

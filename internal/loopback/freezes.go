package loopback

import (
	"fmt"
	"strings"
	"time"
)

// ParseFreezes reads freezes written as for@at with commas between them:
// "1s@5s,200ms@8s". An empty text is none.
func ParseFreezes(text string) ([]Freeze, error) {
	if text == "" {
		return nil, nil
	}
	var list []Freeze
	for _, word := range strings.Split(text, ",") {
		length, at, ok := strings.Cut(word, "@")
		f := Freeze{}
		var err1, err2 error
		f.For, err1 = time.ParseDuration(length)
		f.At, err2 = time.ParseDuration(at)
		if !ok || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("loopback: freeze %q: want for@at, as in 1s@5s", word)
		}
		list = append(list, f)
	}
	return list, nil
}

// freezes is written as ParseFreezes reads it.
type freezes []Freeze

func (list freezes) String() string {
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = fmt.Sprintf("%v@%v", f.For, f.At)
	}
	return strings.Join(words, ",")
}

// thaw returns when a reply comes that is due at the offset at. One that is due at
// the very moment at which a freeze begins is not held up.
func (list freezes) thaw(at time.Duration) time.Duration {
	for _, f := range list {
		if at > f.At && at < f.At+f.For {
			at = f.At + f.For
		}
	}
	return at
}
